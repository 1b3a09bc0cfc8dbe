#!/usr/bin/env python3
"""Writes small vocabularies with expected tokenizations, so that the tests need no other files.

  generate.py SHARED_TOKENIZERS OUT

SHARED_TOKENIZERS holds gpt-2.vocab.gguf, bert-bge.vocab.gguf and strings.py. Needs the Python packages gguf, tokenizers and
sentencepiece. Every expected id comes from Hugging Face `tokenizers` or from `sentencepiece`, none from Alcove.

  mini-bpe.json       the first 2,000 merges of GPT-2's vocabulary (MIT licence), with the pre-tokenizers as the published
                      tokenizer.json files of the models spell them
  mini-wordpiece.json a part of BGE's vocabulary (MIT licence)
  mini-spm.json       SentencePiece BPE with byte fallback, trained here on the test strings
  mini-unigram.json   SentencePiece Unigram with its NMT-NFKC character map, trained here likewise
"""
import base64, importlib.util, io, json, os, sys
import gguf, sentencepiece
from sentencepiece import sentencepiece_model_pb2 as pb
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
CASED = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+%s|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*%s")
LLAMA3 = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + BLANKS
QWEN2 = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + BLANKS
QWEN35 = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + BLANKS
TEKKEN = CASED % ("", "") + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + BLANKS
GPT4O = CASED % (CONTRACTION + "?", CONTRACTION + "?") + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + BLANKS
DEEPSEEK3 = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"
             r" ?[\p{P}\p{S}]+[\r\n]*|" + BLANKS)
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"


def split(rx): return pre_tokenizers.Split(Regex(rx), behavior="isolated", invert=False)
def byte_level(regex): return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)
def sequence(*parts): return pre_tokenizers.Sequence(list(parts))
def digits(): return pre_tokenizers.Digits(individual_digits=True)


# name -> (pre-tokenizer, NFC, a word that is a token is taken whole)
PRE = {
    "gpt-2": (byte_level(True), False, False),
    "olmo": (byte_level(True), True, False),
    "smollm": (sequence(digits(), byte_level(True)), False, False),
    "command-r": (sequence(digits(), byte_level(True)), True, False),
    "llama-bpe": (sequence(split(LLAMA3), byte_level(False)), False, True),
    "dbrx": (sequence(split(LLAMA3), byte_level(False)), False, False),
    "qwen2": (sequence(split(QWEN2), byte_level(False)), True, False),
    "qwen35": (sequence(split(QWEN35), byte_level(False)), True, False),
    "deepseek-coder": (sequence(split(r"[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"),
                                split("[一-龥ࠀ-一가-퟿]+"), digits(), byte_level(False)), False, False),
    "deepseek-v3": (sequence(split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK3),
                             byte_level(False)), False, False),
    "falcon": (sequence(pre_tokenizers.Punctuation("contiguous"), byte_level(True), split("[0-9][0-9][0-9]")),
               False, False),
    "tekken": (sequence(split(TEKKEN), byte_level(False)), False, True),
    "gpt-4o": (sequence(split(GPT4O), byte_level(False)), False, False),
    "bloom": (sequence(split(BLOOM), byte_level(False)), False, False),
}


def read_vocabulary(path):
    fields = gguf.GGUFReader(path).fields
    strings = lambda key: [bytes(fields[key].parts[i]).decode() for i in fields[key].data]
    types = [int(fields["tokenizer.ggml.token_type"].parts[i][0]) for i in fields["tokenizer.ggml.token_type"].data]
    merges = strings("tokenizer.ggml.merges") if "tokenizer.ggml.merges" in fields else []
    return strings("tokenizer.ggml.tokens"), types, merges


def write(out, name, value):
    with open(os.path.join(out, name), "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=True, separators=(",", ":"))
        f.write("\n")


def mini_bpe(shared, texts):
    tokens, _, merges = read_vocabulary(os.path.join(shared, "gpt-2.vocab.gguf"))
    tokens, merges = tokens[:2256], merges[:2000]
    special = ["<|start|>", "<|stop|>"]
    user = ["<tag>", "<tag>>", "  \t"]
    vocabulary = {t: i for i, t in enumerate(tokens + special + user)}
    result = {"tokens": tokens + special + user, "types": [1] * len(tokens) + [3] * 2 + [4] * 3, "merges": merges,
              "pre": {}}
    for name, (pre, nfc, whole) in PRE.items():
        t = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(m.split(" ")) for m in merges], ignore_merges=whole))
        t.pre_tokenizer = pre
        if nfc:
            t.normalizer = normalizers.NFC()
        t.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in special])
        t.add_tokens([AddedToken(s, special=False, normalized=False) for s in user])
        result["pre"][name] = {}
        for key, parse in (("text", False), ("parsed", True)):
            t.encode_special_tokens = not parse
            chosen = texts if not parse else [x for x in texts if "<" in x]
            result["pre"][name][key] = [t.encode(x, add_special_tokens=False).ids for x in chosen]
    return result


def mini_wordpiece(shared, texts):
    tokens, types, _ = read_vocabulary(os.path.join(shared, "bert-bge.vocab.gguf"))
    keep = [i for i in range(len(tokens)) if types[i] == 3 or 1000 <= i < 3500]
    tokens, types = [tokens[i] for i in keep], [types[i] for i in keep]
    vocabulary = {}
    for i, (t, y) in enumerate(zip(tokens, types)):
        vocabulary.setdefault(t if y != 1 else t[1:] if t.startswith("\u2581") else "##" + t, i)
    t = Tokenizer(models.WordPiece(vocab=vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None,
                                              lowercase=True)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return {"tokens": tokens, "types": types, "cls": vocabulary["[CLS]"], "sep": vocabulary["[SEP]"],
            "unk": vocabulary["[UNK]"], "ids": [t.encode(x, add_special_tokens=False).ids for x in texts]}


def train(texts, **options):
    lines = [part for text in texts for part in text.replace("\0", "").split("\n") if part.strip()]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, num_threads=1,
                                             minloglevel=2, hard_vocab_limit=False, **options)
    proto = pb.ModelProto()
    proto.ParseFromString(model.getvalue())
    return proto


def sentencepiece_result(proto, texts):
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(proto.SerializeToString())
    return {"tokens": [p.piece for p in proto.pieces], "types": [p.type for p in proto.pieces],
            "scores": [p.score for p in proto.pieces], "ids": [processor.EncodeAsIds(x) for x in texts]}


def main():
    shared, out = sys.argv[1:3]
    spec = importlib.util.spec_from_file_location("strings_module", os.path.join(shared, "strings.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    texts = [t for _, t in module.STRINGS if len(t) <= 120]
    texts += ["a<|start|>b<|stop|>\n", "<tag><tag>><tag", "x  \t y", "camelCase HTTPServer iPhone's ABCs' ÀÉîö",
              "\u180ea\u180e b", "path/\n/ //\n", "ſ 's'S'ſ it'ſ", "ǅungla ʰello Ωmega"]
    write(out, "texts.json", texts)
    write(out, "mini-bpe.json", mini_bpe(shared, texts))
    write(out, "mini-wordpiece.json", mini_wordpiece(shared, texts))
    spm = train(texts, model_type="bpe", vocab_size=900, byte_fallback=True, character_coverage=0.98,
                normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=True)
    write(out, "mini-spm.json", sentencepiece_result(spm, texts))
    unigram = train(texts, model_type="unigram", vocab_size=700, character_coverage=0.98,
                    normalization_rule_name="nmt_nfkc", bos_id=-1, unk_id=2, eos_id=1, pad_id=0)
    result = sentencepiece_result(unigram, texts)
    result["charsmap"] = base64.b64encode(unigram.normalizer_spec.precompiled_charsmap).decode()
    write(out, "mini-unigram.json", result)


if __name__ == "__main__":
    main()
