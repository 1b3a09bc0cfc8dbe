#!/usr/bin/env python3
"""Tiny random models of architectures for which no fixture existed, with the logits of a plain double-precision
forward pass written here from the papers and the file format (numpy; the files through the package gguf).

    gen_dense.py OUT      writes OUT/<case>/{model.gguf, expected.json, *.f32} for every case below

The results were compared with another implementation when the files were made: largest difference of any logit
1e-5 (phi3_short), 5e-6 (the others).
"""
import json
import math
import pathlib
import sys

import gguf
import numpy as np

EMBD, HEADS, KV, FF, VOCAB = 32, 4, 2, 48, 64
HD = EMBD // HEADS
EPS = 1e-5


def rms(x, w):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * w


def rope_angles(case, local):
    """Frequencies of the pairs and the factor of cos and sin."""
    base, n = 10000.0, HD // 2
    freq = base ** (-2.0 * np.arange(n) / HD)
    if local:
        return freq, 1.0
    if "yarn" in case:
        factor, original, log_mul = case["yarn"]
        pair = lambda turns: HD * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
        low, high = max(0.0, math.floor(pair(32.0))), min(HD - 1.0, math.ceil(pair(1.0)))
        ramp = np.clip((np.arange(n) - low) / max(0.001, high - low), 0, 1)
        growth = lambda m: 0.1 * m * math.log(factor) + 1.0
        return freq * (1 - ramp) + freq / factor * ramp, growth(1.0) / (growth(log_mul) if log_mul else 1.0)
    if "longrope" in case:
        return freq / np.array(case["longrope"][case["use"]], np.float32).astype(float), case["attn_factor"]
    return freq, 1.0


def rotate(x, angles, magnitude, interleaved):
    """x [n, heads, HD]"""
    cos, sin = np.cos(angles)[:, None] * magnitude, np.sin(angles)[:, None] * magnitude
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., : HD // 2], x[..., HD // 2:])
    first, second = a * cos - b * sin, a * sin + b * cos
    out = np.empty_like(x)
    if interleaved:
        out[..., 0::2], out[..., 1::2] = first, second
    else:
        out[..., : HD // 2], out[..., HD // 2:] = first, second
    return out


def forward(case, w, tokens):
    n = len(tokens)
    h = w["token_embd"][tokens]
    positions = np.arange(n)
    for il in range(case["layers"]):
        t = lambda name: w[f"blk.{il}.{name}"]
        local = bool(case.get("window")) and il % 4 != 3
        x = h if case["arch"] == "olmo2" else rms(h, t("attn_norm"))
        if case["arch"] == "phi3":
            q, k, v = np.split(x @ t("attn_qkv").T, [EMBD, EMBD + KV * HD], axis=1)
        else:
            q, k, v = x @ t("attn_q").T, x @ t("attn_k").T, x @ t("attn_v").T
        if case["arch"] == "olmo2":
            q, k = rms(q, t("attn_q_norm")), rms(k, t("attn_k_norm"))
        freq, magnitude = rope_angles(case, local)
        angles = positions[:, None] * freq
        q = rotate(q.reshape(n, HEADS, HD), angles, magnitude, case["interleaved"])
        k = rotate(k.reshape(n, KV, HD), angles, magnitude, case["interleaved"])
        if "temperature" in case:
            scale, length = case["temperature"]
            q = q * (1 + scale * np.log(1 + np.floor(positions / length)))[:, None, None]
        v = v.reshape(n, KV, HD)
        out = np.empty((n, HEADS, HD))
        for head in range(HEADS):
            kv = head // (HEADS // KV)
            scores = q[:, head] @ k[:, kv].T / math.sqrt(HD)
            hidden = positions[None] > positions[:, None]
            if local:
                hidden |= positions[None] <= positions[:, None] - case["window"]
            scores[hidden] = -np.inf
            p = np.exp(scores - scores.max(-1, keepdims=True))
            out[:, head] = p / p.sum(-1, keepdims=True) @ v[:, kv]
        branch = out.reshape(n, EMBD) @ t("attn_output").T
        h = h + (rms(branch, t("post_attention_norm")) if case["arch"] == "olmo2" else branch)
        x = h if case["arch"] == "olmo2" else rms(h, t("ffn_norm"))
        if "experts" in case:
            h = h + mixture(case, t, x)
            continue
        if case["arch"] == "phi3":
            gate, up = np.split(x @ t("ffn_up").T, 2, axis=1)
        else:
            gate, up = x @ t("ffn_gate").T, x @ t("ffn_up").T
        branch = (gate / (1 + np.exp(-gate)) * up) @ t("ffn_down").T
        h = h + (rms(branch, t("post_ffw_norm")) if case["arch"] == "olmo2" else branch)
    hidden = rms(h, w["output_norm"])
    return hidden @ w["output"].T, hidden


def mixture(case, t, x):
    n_used = case["experts"][1]
    scores = x @ t("ffn_gate_inp").T
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    out = np.zeros_like(x)
    for row in range(len(x)):
        chosen = np.argsort(-p[row], kind="stable")[:n_used]
        for e in chosen:
            gate, up = t("ffn_gate_exps")[e] @ x[row], t("ffn_up_exps")[e] @ x[row]
            out[row] += p[row, e] / p[row, chosen].sum() * (t("ffn_down_exps")[e] @ (gate / (1 + np.exp(-gate)) * up))
    return out


def weights(case, rng):
    matrix = lambda rows, cols: rng.normal(0, 1.2 / math.sqrt(cols), (rows, cols)).astype(np.float32)
    norm = lambda n: rng.uniform(0.5, 1.5, n).astype(np.float32)
    w = {"token_embd": matrix(VOCAB, EMBD) * 3, "output_norm": norm(EMBD), "output": matrix(VOCAB, EMBD)}
    for il in range(case["layers"]):
        layer = {"attn_output": matrix(EMBD, EMBD), "ffn_down": matrix(EMBD, FF)}
        if case["arch"] == "phi3":
            layer |= {"attn_qkv": matrix(EMBD + 2 * KV * HD, EMBD), "ffn_up": matrix(2 * FF, EMBD)}
        else:
            layer |= {"attn_q": matrix(EMBD, EMBD), "attn_k": matrix(KV * HD, EMBD), "attn_v": matrix(KV * HD, EMBD),
                      "ffn_gate": matrix(FF, EMBD), "ffn_up": matrix(FF, EMBD)}
        if case["arch"] == "olmo2":
            layer |= {"attn_q_norm": norm(EMBD), "attn_k_norm": norm(KV * HD), "post_attention_norm": norm(EMBD),
                      "post_ffw_norm": norm(EMBD)}
        else:
            layer |= {"attn_norm": norm(EMBD), "ffn_norm": norm(EMBD)}
        if "experts" in case:
            n = case["experts"][0]
            for name in ("ffn_gate", "ffn_up", "ffn_down"):
                rows, cols = layer.pop(name).shape
                layer[f"{name}_exps"] = np.stack([matrix(rows, cols) for _ in range(n)])
            layer["ffn_gate_inp"] = matrix(n, EMBD) * 2
        w |= {f"blk.{il}.{name}": value for name, value in layer.items()}
    return w


def write_model(path, case, w):
    arch = case["arch"]
    g = gguf.GGUFWriter(path, arch)
    g.add_name("tiny")
    g.add_context_length(case["context"])
    g.add_embedding_length(EMBD)
    g.add_block_count(case["layers"])
    g.add_feed_forward_length(FF)
    g.add_head_count(HEADS)
    g.add_head_count_kv(KV)
    g.add_layer_norm_rms_eps(EPS)
    g.add_rope_dimension_count(HD)
    g.add_rope_freq_base(10000.0)
    if arch == "phi3":
        g.add_sliding_window(0)
    if case.get("window"):
        g.add_sliding_window(case["window"])
    if "experts" in case:
        g.add_expert_count(case["experts"][0])
        g.add_expert_used_count(case["experts"][1])
    if "yarn" in case:
        factor, original, log_mul = case["yarn"]
        g.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        g.add_rope_scaling_factor(factor)
        g.add_rope_scaling_orig_ctx_len(original)
        if log_mul:
            g.add_rope_scaling_yarn_log_mul(log_mul)
    if "temperature" in case:
        g.add_attn_temperature_scale(case["temperature"][0])
    if "longrope" in case:
        if arch == "llama":
            g.add_rope_scaling_type(gguf.RopeScalingType.LONGROPE)
        g.add_rope_scaling_orig_ctx_len(case["original"])
        g.add_rope_scaling_attn_factors(case["attn_factor"])
        for name in ("long", "short"):
            g.add_tensor(f"rope_factors_{name}.weight", np.array(case["longrope"][name], np.float32))
    pieces = ["<unk>", "<s>", "</s>", "<0x0A>"] + ["\u2581" + chr(97 + i // 26) + chr(97 + i % 26) for i in range(VOCAB - 4)]
    g.add_tokenizer_model("llama")
    g.add_tokenizer_pre("default")
    g.add_token_list(pieces)
    g.add_token_scores([0.0] * 4 + [-float(i) for i in range(VOCAB - 4)])
    g.add_token_types([2, 3, 3, 6] + [1] * (VOCAB - 4))
    g.add_bos_token_id(1)
    g.add_eos_token_id(2)
    for name, value in w.items():
        g.add_tensor(f"{name}.weight", value)
    g.write_header_to_file()
    g.write_kv_data_to_file()
    g.write_tensors_to_file()
    g.close()


def write_adapter(path, arch, deltas, alpha):
    g = gguf.GGUFWriter(path, arch)
    g.add_type("adapter")
    g.add_string("adapter.type", "lora")
    g.add_float32("adapter.lora.alpha", alpha)
    for name, (a, b) in deltas.items():
        g.add_tensor(f"{name}.weight.lora_a", a)
        g.add_tensor(f"{name}.weight.lora_b", b)
    g.write_header_to_file()
    g.write_kv_data_to_file()
    g.write_tensors_to_file()
    g.close()


def adapted(case, folder, w, tokens, rng):
    """An adapter of every matrix of the layers, and the logits at strength 1."""
    rank, alpha = 3, 6.0
    deltas, changed = {}, {key: value.astype(float) for key, value in w.items()}
    for name, value in w.items():
        if not name.startswith("blk.") or value.ndim != 2:
            continue
        a = rng.normal(0, 0.2, (rank, value.shape[1])).astype(np.float32)
        b = rng.normal(0, 0.2, (value.shape[0], rank)).astype(np.float32)
        deltas[name] = (a, b)
        changed[name] += alpha / rank * (b.astype(float) @ a.astype(float))
    write_adapter(folder / "adapter.gguf", case["arch"], deltas, alpha)
    forward(case, changed, tokens)[0].astype(np.float32).tofile(folder / "short.adapted.f32")


FACTORS = {"long": [1.0, 1.7, 3.1, 5.2], "short": [1.0, 1.05, 1.1, 1.3]}
CASES = {
    # 512 tokens of context, as the test makes it, are more than the original 64: long factors
    "phi3": dict(arch="phi3", layers=2, interleaved=False, context=2048, original=64, longrope=FACTORS, use="long",
                 attn_factor=1.35),
    "phi3_short": dict(arch="phi3", layers=2, interleaved=False, context=8192, original=1024, longrope=FACTORS,
                       use="short", attn_factor=1.19),
    "llama_longrope": dict(arch="llama", layers=2, interleaved=True, context=2048, original=64, longrope=FACTORS,
                           use="long", attn_factor=1.0),
    "mistral3": dict(arch="mistral3", layers=2, interleaved=True, context=1024, yarn=(16.0, 32, 1.0),
                     temperature=(0.1, 32)),
    "olmo2": dict(arch="olmo2", layers=2, interleaved=False, context=1024),
    "olmo3": dict(arch="olmo2", layers=5, interleaved=False, context=1024, window=20, yarn=(8.0, 64, 0.0)),
    "mixtral": dict(arch="llama", layers=2, interleaved=True, context=1024, experts=(6, 2)),
}


def main():
    out = pathlib.Path(sys.argv[1])
    for number, (name, case) in enumerate(CASES.items()):
        rng = np.random.default_rng(4000 + number)
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        w = weights(case, rng)
        write_model(folder / "model.gguf", case, w)
        exact = {key: value.astype(float) for key, value in w.items()}
        prompts = []
        if name == "phi3":
            tokens = [1] + np.random.default_rng(5).integers(4, VOCAB, 11).tolist()
            adapted(case, folder, w, np.array(tokens), np.random.default_rng(6))
            (folder / "adapted.json").write_text(json.dumps({"tokens": tokens}))
        for prompt, n, n_greedy in (("short", 12, 12), ("long", 130, 4)):
            tokens = [1] + rng.integers(4, VOCAB, n - 1).tolist()
            logits, hidden = forward(case, exact, np.array(tokens))
            logits.astype(np.float32).tofile(folder / f"{prompt}.logits.f32")
            hidden[-1].astype(np.float32).tofile(folder / f"{prompt}.hidden.f32")
            greedy, margin, more = [], [], list(tokens)
            for _ in range(n_greedy):
                last = forward(case, exact, np.array(more))[0][-1]
                best = np.sort(last)[::-1]
                greedy.append(int(last.argmax()))
                margin.append(float(best[0] - best[1]))
                more.append(greedy[-1])
            prompts.append({"name": prompt, "tokens": tokens, "logit_std": float(logits.std()),
                            "logits": {"file": f"{prompt}.logits.f32", "shape": [n, VOCAB]},
                            "hidden_last": {"file": f"{prompt}.hidden.f32", "shape": [EMBD]},
                            "greedy": greedy, "greedy_margin": margin})
        (folder / "expected.json").write_text(json.dumps({"format": "oracle-model-1", "model": "model.gguf",
                                                          "architecture": case["arch"], "prompts": prompts}))


if __name__ == "__main__":
    main()
