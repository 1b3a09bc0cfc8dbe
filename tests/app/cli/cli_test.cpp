// The program as a script sees it: exit status, standard output, standard error.
#include "engine/format/gguf_writer.h"
#include "tests/app/cli/process.h"
#include "tests/engine/format/temporary_folder.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace {

using alcove::test::Ended;
using alcove::test::run_process;
using alcove::test::Start;
using alcove::test::TemporaryFolder;
using nlohmann::json;

const std::string kModel = ALCOVE_TEST_DATA "/cli/ok_minimal.gguf";

class Cli : public testing::Test {
protected:
    /// Runs alcove-cli with a data folder of this test's own.
    Ended cli(std::vector<std::string> arguments, Start start = {}) const {
        start.environment.push_back("ALCOVE_DATA=" + (folder.path() / "data").string());
        return run_process(ALCOVE_CLI, arguments, start);
    }
    std::string file(const std::string& name) const { return (folder.path() / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        return folder.write(name, text).string();
    }
    static std::string read(const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    static std::vector<float> floats(const std::string& path) {
        const std::string bytes = read(path);
        std::vector<float> values(bytes.size() / sizeof(float));
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
        return values;
    }
    static std::vector<json> lines(const std::string& text) {
        std::vector<json> all;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            all.push_back(json::parse(line));
        return all;
    }
    /// Fails with exactly this status, one sentence on standard error and nothing on standard
    /// output.
    void expect_failure(const std::vector<std::string>& arguments, int status,
                        const std::string& says) const {
        const Ended ended = cli(arguments);
        EXPECT_EQ(ended.status, status) << ended.err;
        EXPECT_EQ(ended.out, "");
        EXPECT_NE(ended.err.find(says), std::string::npos)
            << "expected \"" << says << "\" in: " << ended.err;
    }

    TemporaryFolder folder;
};

TEST_F(Cli, HelpAndVersionAreResults) {
    EXPECT_EQ(cli({"--version"}).out.rfind("alcove-cli ", 0), 0U);
    const Ended help = cli({"--help"});
    EXPECT_EQ(help.status, 0);
    for (const std::string command : {"run", "chat", "tokenize", "detokenize", "template", "jinja",
                                      "logits", "embed", "perplexity", "sample", "inspect",
                                      "dequantize", "bench", "cpu", "adapter", "model", "chats"}) {
        EXPECT_NE(help.out.find("\n  " + command + " "), std::string::npos) << command;
        EXPECT_EQ(cli({command, "--help"}).status, 0) << command;
    }
}

TEST_F(Cli, WrongUsageIsTwo) {
    expect_failure({}, 2, "subcommand is required");
    expect_failure({"embody"}, 2, "there is no command \"embody\"");
    expect_failure({"embed", "-m", kModel}, 2, "text");
    expect_failure({"embed", "-m", kModel, "--text", "x", "--pooling", "max"}, 2, "--pooling");
    expect_failure({"model", "remove", "x"}, 2, "there is no command \"model remove\"");
    expect_failure({"run", "-p", "x"}, 2, "--model is required");
    expect_failure({"run", "-m", kModel}, 2, "prompt");
    expect_failure({"run", "-m", kModel, "-p", "x", "-f", "y"}, 2, "prompt");
    expect_failure({"run", "-m", kModel, "-p", "x", "--nonsense"}, 2, "--nonsense");
    expect_failure({"run", "-m", kModel, "-p", "x", "--temp", "-1"}, 2, "temperature is -1");
    expect_failure({"run", "-m", kModel, "-p", "x", "--temp", "warm"}, 2, "--temp");
    expect_failure({"run", "-m", kModel, "-p", "x", "--seed", "-3"}, 2, "--seed");
    expect_failure({"run", "-m", kModel, "-p", "x", "--kv", "f8"}, 2, "--kv");
    expect_failure({"run", "-m", kModel, "-p", "x", "--isa", "abacus"}, 2, "--isa");
    expect_failure({"run", "-m", kModel, "-p", "x", "--grammar", "g", "--json-schema", "s"}, 2,
                   "--grammar excludes --json-schema");
    expect_failure({"logits", "-m", kModel, "--tokens", "1,two"}, 2, "\"two\" is not a token id");
    expect_failure({"dequantize", "--type", "Q7", "a", "b"}, 2, "Q7");
    expect_failure({"model"}, 2, "subcommand is required");
    expect_failure({"chats", "show", "first"}, 2, "ID");
}

TEST_F(Cli, BadInputIsOneAndNamesTheFile) {
    const std::string page = write("page.gguf", "<!DOCTYPE html><html></html>");
    for (const std::string command : {"run", "chat", "bench"}) {
        std::vector<std::string> arguments{command, "-m", page};
        if (command != "bench")
            arguments.insert(arguments.end(), {command == "run" ? "-p" : "--once", "x"});
        expect_failure(arguments, 1, "page.gguf: this is a web page");
    }
    expect_failure({"inspect", page}, 1, "page.gguf");
    expect_failure({"logits", "-m", page, "--tokens", "1"}, 1, "page.gguf");
    expect_failure({"tokenize", "-m", page, "--text", "x"}, 1, "page.gguf");
    expect_failure({"run", "-m", file("absent.gguf"), "-p", "x"}, 1, "absent.gguf");
    expect_failure({"run", "-m", "nobody-has-this-model", "-p", "x"}, 1, "nobody-has-this-model");
    expect_failure({"run", "-m", kModel, "-f", file("absent.txt")}, 1, "absent.txt");
    expect_failure({"logits", "-m", kModel, "--tokens", "270"}, 1, "token 270");
    expect_failure({"logits", "-m", kModel, "--tokens-file", write("ids", "1 2 x")}, 1,
                   "\"x\" is not a token id");
    expect_failure({"perplexity", "-m", kModel, "-f", write("short.txt", "a")}, 1, "short.txt");
    expect_failure({"sample", "--cases", file("absent.jsonl")}, 1, "absent.jsonl");
    expect_failure({"chats", "show", "99"}, 1, "");
    expect_failure({"model", "add", page}, 1, "page.gguf");
}

TEST_F(Cli, RunGivesItsDocument) {
    const std::vector<std::string> greedy{"run",    "-m", kModel, "-p", "hello there",
                                          "--temp", "0",  "-n",   "6"};
    auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = greedy;
        all.insert(all.end(), more.begin(), more.end());
        return cli(all);
    };
    const Ended ended = with({"--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const json answer = json::parse(ended.out);
    for (const char* key : {"text", "ids", "finish", "prompt_tokens", "cached_tokens",
                            "prefill_tok_s", "decode_tok_s", "ttft_ms", "spec"})
        EXPECT_TRUE(answer.contains(key)) << key;
    EXPECT_TRUE(answer["spec"].is_null());
    EXPECT_LE(answer["ids"].size(), 6U);
    EXPECT_TRUE(answer["finish"] == "length" || answer["finish"] == "stop");
    EXPECT_EQ(with({}).out, answer["text"].get<std::string>());
    EXPECT_EQ(json::parse(with({"--ids"}).out), answer["ids"]);
    EXPECT_EQ(with({"--ids"}).out.find(' '), std::string::npos);
    for (const std::string threads : {"1", "2", "3"})
        EXPECT_EQ(json::parse(with({"--json", "-t", threads}).out)["ids"], answer["ids"]);
    EXPECT_EQ(json::parse(with({"--json", "--no-mmap", "--batch", "1"}).out)["ids"], answer["ids"]);
    EXPECT_EQ(json::parse(with({"--json", "--isa", "scalar", "--kv", "f32"}).out)["prompt_tokens"],
              answer["prompt_tokens"]);
}

TEST_F(Cli, TheSameSeedRepeatsAnAnswer) {
    const auto ids = [&](const std::string& seed) {
        const Ended ended = cli({"run", "-m", kModel, "-p", "a b c", "--temp", "2", "--top-k", "0",
                                 "--seed", seed, "-n", "12", "--ids"});
        EXPECT_EQ(ended.status, 0) << ended.err;
        return ended.out;
    };
    EXPECT_EQ(ids("7"), ids("7"));
    EXPECT_NE(ids("7"), ids("8"));
    EXPECT_NE(ids("18446744073709551615"), "");
}

TEST_F(Cli, AReaderThatGoesAwayEndsTheProgramQuietly) {
    const Ended ended =
        cli({"run", "-m", kModel, "-p", "a", "-n", "200", "--temp", "2"}, {.close_output = true});
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(cli({"inspect", kModel, "--full"}, {.close_output = true}).status, 0);
}

TEST_F(Cli, AnInterruptEndsWith130AndNoResult) {
    const Ended ended = cli({"bench", "-m", kModel, "-p", "64", "-n", "64", "-r", "1000", "--json"},
                            {.interrupt_after = std::chrono::milliseconds(300)});
    EXPECT_EQ(ended.status, 130);
    EXPECT_EQ(ended.out, "");
}

TEST_F(Cli, LogitsAreThoseOfTheReference) {
    const Ended ended = cli({"logits", "-m", kModel, "--tokens", "1,5,9,100,262", "--out",
                             file("l.f32"), "--hidden", file("h.f32"), "--dump-nodes",
                             file("nodes"), "--kv", "f32", "--activations", "f32"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const json result = json::parse(ended.out);
    EXPECT_EQ(result["shape"], json({5, 270}));
    EXPECT_EQ(result["argmax"].size(), 5U);
    const std::vector<float> found = floats(file("l.f32"));
    const std::vector<float> expected = floats(ALCOVE_TEST_DATA "/cli/ok.logits.f32");
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 3e-4) << i;
    for (std::size_t row = 0; row < 5; ++row) {
        const auto begin = found.begin() + static_cast<std::ptrdiff_t>(row * 270);
        EXPECT_EQ(result["argmax"][row], std::max_element(begin, begin + 270) - begin);
    }
    ASSERT_TRUE(result["nodes"].contains("result_norm")) << ended.out;
    for (const auto& [name, shape] : result["nodes"].items())
        EXPECT_EQ(floats(file("nodes/" + name + ".f32")).size(),
                  shape[0].get<std::size_t>() * shape[1].get<std::size_t>())
            << name;
    EXPECT_EQ(floats(file("h.f32")).size(), result["nodes"]["result_norm"][1].get<std::size_t>());

    const Ended last = cli({"logits", "-m", kModel, "--tokens-file",
                            write("ids", "1 5\n9, 100 262\n"), "--positions", "last", "--per-token",
                            "--out", file("last.f32"), "--kv", "f32", "--activations", "f32"});
    ASSERT_EQ(last.status, 0) << last.err;
    EXPECT_EQ(json::parse(last.out)["shape"], json({1, 270}));
    const std::vector<float> only = floats(file("last.f32"));
    ASSERT_EQ(only.size(), 270U);
    for (std::size_t i = 0; i < 270; ++i)
        EXPECT_NEAR(only[i], expected[4 * 270 + i], 3e-4);
}

TEST_F(Cli, EmbeddingsArePooledFromTheLastNorm) {
    const std::vector<std::string> exact{"--kv", "f32", "--activations", "f32"};
    const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), exact.begin(), exact.end());
        const Ended ended = cli(arguments);
        EXPECT_EQ(ended.status, 0) << ended.err;
        return json::parse(ended.out);
    };
    with({"logits", "-m", kModel, "--tokens", "1,5,9", "--dump-nodes", file("nodes")});
    const std::vector<float> rows = floats(file("nodes/result_norm.f32"));
    ASSERT_EQ(rows.size() % 3, 0U);
    const std::size_t n_embd = rows.size() / 3;
    const auto embed = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"embed", "-m", kModel, "--tokens", "1,5,9", "--batch", "2"});
        return with(more).get<std::vector<float>>();
    };
    const std::vector<float> first = embed({"--pooling", "cls"});
    const std::vector<float> last = embed({"--pooling", "last"});
    const std::vector<float> mean = embed({});
    const std::vector<float> unit = embed({"--normalize"});
    ASSERT_EQ(mean.size(), n_embd);
    double length = 0;
    for (std::size_t i = 0; i < n_embd; ++i) {
        EXPECT_NEAR(first[i], rows[i], 1e-5);
        EXPECT_NEAR(last[i], rows[2 * n_embd + i], 1e-5);
        EXPECT_NEAR(mean[i], (rows[i] + rows[n_embd + i] + rows[2 * n_embd + i]) / 3, 1e-5);
        EXPECT_NEAR(unit[i] * mean[0], mean[i] * unit[0], 1e-5) << "the same direction";
        length += static_cast<double>(unit[i]) * static_cast<double>(unit[i]);
    }
    EXPECT_NEAR(length, 1, 1e-5);

    const json two = with({"embed", "-m", kModel, "--text", "ab", "--text", "a"});
    EXPECT_EQ(two, with({"embed", "-m", kModel, "--file", write("lines", "ab\r\na\n")}));
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[1], with({"embed", "-m", kModel, "--text", "a"}));
    expect_failure({"embed", "-m", kModel, "--file", write("nothing", "")}, 1, "nothing");
    expect_failure({"embed", "-m", kModel, "--tokens", "270"}, 1, "270");
}

TEST_F(Cli, AFailedWriteLeavesNothing) {
    expect_failure({"logits", "-m", kModel, "--tokens", "1", "--out", file("absent/l.f32")}, 1,
                   "absent/l.f32");
    const std::string blocks =
        write("blocks", std::string(17, '\0')); // a block of Q4_0 has 18 bytes
    expect_failure({"dequantize", "--type", "Q4_0", blocks, file("out.f32")}, 1,
                   "17 bytes, expected a multiple of 18");
    EXPECT_FALSE(std::filesystem::exists(file("out.f32")));
}

TEST_F(Cli, ARefusedGrammarNamesTheFile) {
    const std::string gbnf = write("rules.gbnf", "root ::= thing");
    expect_failure({"run", "-m", kModel, "-p", "x", "--grammar", gbnf}, 1,
                   "rules.gbnf: the rule \"thing\" is used, but not defined");
    const std::string schema = write("schema.json", R"({"not": {}})");
    expect_failure({"run", "-m", kModel, "-p", "x", "--json-schema", schema}, 1, "schema.json");
    expect_failure({"run", "-m", kModel, "-p", "x", "--grammar", gbnf + ".not"}, 1, ".gbnf.not");
}

TEST_F(Cli, WhatIsWrittenUnderAGrammarIsAllowedByIt) {
    const std::string gbnf = write("digits.gbnf", "root ::= [0-9] [0-9] [0-9]");
    const Ended ended = cli(
        {"run", "-m", kModel, "-p", "x", "--temp", "2", "-n", "9", "--grammar", gbnf, "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto answer = nlohmann::json::parse(ended.out);
    EXPECT_EQ(answer.at("finish"), "grammar");
    const std::string text = answer.at("text");
    EXPECT_EQ(text.size(), 3U);
    EXPECT_EQ(text.find_first_not_of("0123456789"), std::string::npos) << text;
}

TEST_F(Cli, DequantizeDecodesBlocks) {
    // Q8_0: scale 2 as a half (0x4000), then the codes 0 to 31.
    std::string block("\x00\x40", 2);
    for (int i = 0; i < 32; ++i)
        block += static_cast<char>(i);
    ASSERT_EQ(cli({"dequantize", "--type", "Q8_0", write("b", block), file("f")}).status, 0);
    const std::vector<float> values = floats(file("f"));
    ASSERT_EQ(values.size(), 32U);
    for (std::size_t i = 0; i < 32; ++i)
        EXPECT_EQ(values[i], 2.0F * static_cast<float>(i));
}

TEST_F(Cli, PerplexityCountsThePredictionsItShould) {
    const std::string text =
        write("t.txt", "the quick brown fox jumps over the lazy dog and the dog sleeps on");
    const std::size_t n_tokens =
        lines(cli({"tokenize", "-m", kModel, "-f", text}).out)[0]["ids"].size();
    ASSERT_GE(n_tokens, 32U);
    const Ended ended = cli({"perplexity", "-m", kModel, "-f", text, "--ctx", "16", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const json chunked = json::parse(ended.out);
    EXPECT_EQ(chunked["tokens"], n_tokens / 16 * 7); // 16 - 8 - 1 per chunk
    EXPECT_GT(chunked["ppl"], 1.0);
    const json strided = json::parse(
        cli({"perplexity", "-m", kModel, "-f", text, "--ctx", "16", "--stride", "4", "--json"})
            .out);
    EXPECT_EQ(strided["tokens"], n_tokens - 1); // every token but the first, once
}

TEST_F(Cli, TokenizeAndDetokenizeAnswerLineByLine) {
    const std::string cases = write(
        "c.jsonl", "{\"text\":\"hello\"}\nnot json\n{\"text\":\"hello\",\"add_special\":false}\n"
                   "{\"text_hex\":\"68656c6c6f\"}\n{\"text_hex\":\"6\"}\n{}\n[1]\n");
    const Ended ended = cli({"tokenize", "-m", kModel, "--cases", cases});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto answers = lines(ended.out);
    ASSERT_EQ(answers.size(), 7U);
    EXPECT_EQ(answers[0]["ids"].size(), answers[0]["pieces"].size());
    EXPECT_EQ(answers[0]["ids"].size(), answers[2]["ids"].size() + 1); // BOS
    EXPECT_EQ(answers[3], answers[0]);
    for (const std::size_t bad : {1U, 4U, 5U, 6U})
        EXPECT_TRUE(answers[bad].contains("error")) << bad;

    const std::string ids = answers[0]["ids"].dump();
    const auto back = lines(cli({"detokenize", "-m", kModel, "--cases",
                                 write("d.jsonl", "{\"ids\":" + ids + "}\n{\"ids\":" + ids +
                                                      ",\"stream\":true}\n{\"ids\":[99999]}\n")})
                                .out);
    ASSERT_EQ(back.size(), 3U);
    EXPECT_EQ(back[0]["text"], "hello");
    std::string joined;
    for (const auto& delta : back[1]["deltas"])
        joined += delta.get<std::string>();
    EXPECT_EQ(joined + back[1]["flush"].get<std::string>(), "hello");
    EXPECT_EQ(back[1]["deltas"].size(), answers[0]["ids"].size());
    EXPECT_TRUE(back[2].contains("error"));
    EXPECT_EQ(cli({"detokenize", "-m", kModel, "--ids", ids.substr(1, ids.size() - 2)}).out,
              "hello\n");
}

TEST_F(Cli, TemplatesRenderOrSayWhy) {
    const std::string cases =
        write("t.jsonl", "{\"template\":\"{{ messages[0].content }}{{ tools }}{{ x "
                         "}}\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"x\":3}\n"
                         "{\"messages\":[]}\n"
                         "{\"template\":\"{{ raise_exception('no') }}\",\"messages\":[]}\n"
                         "{\"template\":\"{% if %}\",\"messages\":[]}\n"
                         "{\"template\":\"{{ strftime_now('%Y-%m-%d %H:%M') "
                         "}}\",\"messages\":[],\"now\":\"2026-03-09T14:05:07\"}\n"
                         "{\"template\":\"{{ strftime_now('%Y-%m-%d %H:%M') "
                         "}}\",\"messages\":[],\"now\":1773065107}\n");
    const auto answers =
        lines(cli({"template", "--cases", cases, "--template", write("f.jinja", "fallback")}).out);
    ASSERT_EQ(answers.size(), 6U);
    EXPECT_EQ(answers[0]["text"], "HiNone3");
    EXPECT_EQ(answers[1]["text"], "fallback");
    EXPECT_EQ(answers[2]["error"], "no");
    EXPECT_EQ(answers[2]["kind"], "raised");
    EXPECT_EQ(answers[3]["kind"], "syntax");
    EXPECT_EQ(answers[4]["text"], "2026-03-09 14:05");
    EXPECT_EQ(answers[5]["text"], "2026-03-09 14:05");
    const auto snippets =
        lines(cli({"jinja", "--cases",
                   write("j.jsonl", "{\"template\":\"{{ a + 1 }}\",\"context\":{\"a\":2}}\n"
                                    "{\"template\":\"{{ a + }}\",\"context\":{}}\n")})
                  .out);
    ASSERT_EQ(snippets.size(), 2U);
    EXPECT_EQ(snippets[0]["text"], "3");
    EXPECT_TRUE(snippets[1].contains("error"));
}

TEST_F(Cli, SampleGivesEveryKnownDistribution) {
    const json cases = json::parse(read(ALCOVE_TEST_DATA "/sampler/cases.json"));
    const json logits = json::parse(read(ALCOVE_TEST_DATA "/sampler/logits.json"));
    std::string input;
    std::vector<json> expected;
    for (const json& entry : cases["cases"]) {
        json line{{"logits", logits[entry["logits"].get<std::string>()]},
                  {"history", entry["history"]},
                  {"settings", entry["settings"]}};
        input += line.dump() + "\n";
        expected.push_back(entry["expected"]);
        if (entry.contains("expected_xtc_on")) {
            line["settings"]["xtc_coin"] = true;
            input += line.dump() + "\n";
            expected.push_back(entry["expected_xtc_on"]);
        }
    }
    for (const json& entry : cases["mirostat_v2"]) {
        input += json{{"logits", logits[entry["logits"].get<std::string>()]},
                      {"settings",
                       {{"temperature", entry["temperature"]},
                        {"mirostat",
                         {{"tau", entry["tau"]}, {"eta", entry["eta"]}, {"mu", entry["mu"]}}}}},
                      {"draw", entry["chosen"]}}
                     .dump() +
                 "\n";
        expected.push_back(entry["expected"]);
        expected.back()["mu_after"] = entry["mu_after_published"];
    }
    const Ended ended = cli({"sample", "--cases", write("s.jsonl", input)});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto answers = lines(ended.out);
    ASSERT_EQ(answers.size(), expected.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_TRUE(answers[i].contains("order")) << answers[i];
        EXPECT_EQ(answers[i]["order"].get<std::set<int>>(), expected[i]["ids"].get<std::set<int>>())
            << i;
        for (std::size_t k = 0; k < answers[i]["probs"].size(); ++k)
            EXPECT_NEAR(answers[i]["probs"][k].get<double>(), expected[i]["probs"][k].get<double>(),
                        2e-5)
                << i;
        if (expected[i].contains("mu_after")) {
            EXPECT_NEAR(answers[i]["mu_after"].get<double>(), expected[i]["mu_after"].get<double>(),
                        1e-5);
        }
    }
    const auto wrong =
        lines(cli({"sample", "--cases",
                   write("w.jsonl",
                         "{\"logits\":[1,2],\"settings\":{\"top_q\":1}}\n{\"logits\":[\"x\"]}\n"
                         "{\"logits\":[]}\n{\"logits\":[1],\"settings\":{\"min_p\":7}}\n")})
                  .out);
    ASSERT_EQ(wrong.size(), 4U);
    for (const json& answer : wrong)
        EXPECT_TRUE(answer.contains("error")) << answer;
}

TEST_F(Cli, InspectTellsWhatAFileHoldsAndWhetherItRuns) {
    const Ended ended = cli({"inspect", kModel, "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const json facts = json::parse(ended.out);
    EXPECT_EQ(facts["architecture"], "llama");
    EXPECT_TRUE(facts["runnable"].get<bool>());
    EXPECT_TRUE(facts["reason"].is_null());
    EXPECT_GT(facts["memory"]["total_bytes"], 0);
    EXPECT_EQ(facts["metadata"]["general.architecture"], "llama");
    EXPECT_EQ(facts["metadata"]["tokenizer.ggml.tokens"]["size"], 270);
    for (const char* key : {"name", "type", "shape", "offset", "bytes"})
        EXPECT_TRUE(facts["tensors"][0].contains(key)) << key;
    EXPECT_GT(facts["n_params"], 0);
    const json full = json::parse(cli({"inspect", kModel, "--json", "--full"}).out);
    EXPECT_EQ(full["metadata"]["tokenizer.ggml.tokens"].size(), 270U);
    EXPECT_NE(cli({"inspect", kModel}).out.find("Runs: yes"), std::string::npos);

    alcove::GgufWriter writer;
    writer.add_string("general.architecture", "nosuch");
    ASSERT_TRUE(writer.write(file("other.gguf")));
    const Ended other = cli({"inspect", file("other.gguf"), "--json"});
    ASSERT_EQ(other.status, 0) << other.err;
    EXPECT_FALSE(json::parse(other.out)["runnable"].get<bool>());
    EXPECT_NE(json::parse(other.out)["reason"].get<std::string>().find("nosuch"),
              std::string::npos);
    expect_failure({"run", "-m", file("other.gguf"), "-p", "x"}, 1, "nosuch");
}

TEST_F(Cli, BenchAndCpuGiveTheirDocuments) {
    const Ended ended = cli(
        {"bench", "-m", kModel, "-p", "16", "-n", "8", "-d", "4", "-r", "2", "-t", "1", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const json tests = json::parse(ended.out);
    ASSERT_EQ(tests.size(), 2U);
    EXPECT_EQ(tests[0]["test"], "pp16@d4");
    EXPECT_EQ(tests[1]["test"], "tg8@d4");
    for (const json& test : tests) {
        EXPECT_EQ(test["threads"], 1);
        EXPECT_EQ(test["tok_per_s"].size(), 2U);
        for (const json& speed : test["tok_per_s"])
            EXPECT_GT(speed, 0.0);
        for (const char* key : {"model", "isa", "load_s", "peak_rss_bytes"})
            EXPECT_TRUE(test.contains(key)) << key;
    }
    const json only =
        json::parse(cli({"bench", "-m", kModel, "-p", "0", "-n", "4", "-r", "1", "--json"}).out);
    ASSERT_EQ(only.size(), 1U);
    EXPECT_EQ(only[0]["test"], "tg4");
    const json cpu = json::parse(cli({"cpu", "--json"}).out);
    for (const char* key :
         {"model", "cores", "features", "isas", "chosen", "reason", "caches", "memory"})
        EXPECT_TRUE(cpu.contains(key)) << key;
}

TEST_F(Cli, ChatAnswersOnceAndInALoop) {
    const Ended once = cli({"chat", "-m", kModel, "--once", "hello", "--system", "be brief",
                            "--temp", "0", "-n", "5", "--json"});
    ASSERT_EQ(once.status, 0) << once.err;
    const json answer = json::parse(once.out);
    const std::string messages =
        write("m.json", "[{\"role\":\"system\",\"content\":\"be "
                        "brief\"},{\"role\":\"user\",\"content\":\"hello\"}]");
    const json same = json::parse(
        cli({"chat", "-m", kModel, "--messages", messages, "--temp", "0", "-n", "5", "--json"})
            .out);
    EXPECT_EQ(same["ids"], answer["ids"]);
    EXPECT_EQ(same["prompt_tokens"], answer["prompt_tokens"]);
    expect_failure({"chat", "-m", kModel, "--messages", write("bad.json", "{\"a\":1}")}, 1,
                   "bad.json");

    const Ended loop =
        cli({"chat", "-m", kModel, "--temp", "0", "-n", "3", "--json"},
            {.input = "hello\nagain\n/stats\n/save " + file("saved.json") + "\n/reset\nhello\n"});
    ASSERT_EQ(loop.status, 0) << loop.err;
    EXPECT_NE(loop.out.find("Context     "), std::string::npos);
    const json saved = json::parse(read(file("saved.json")));
    ASSERT_EQ(saved["messages"].size(), 4U);
    EXPECT_EQ(saved["messages"][2]["content"], "again");
    std::istringstream out(loop.out);
    std::string first;
    std::string second;
    std::getline(out, first);
    std::getline(out, second);
    EXPECT_EQ(json::parse(first)["cached_tokens"], 0);
    EXPECT_GT(json::parse(second)["cached_tokens"], 0); // the second turn reads only what is new
    EXPECT_NE(loop.out.rfind(json::parse(first)["ids"].dump()),
              loop.out.find(json::parse(first)["ids"].dump())); // after /reset as before
    const Ended loaded =
        cli({"chat", "-m", kModel, "-n", "1"},
            {.input = "/load " + file("saved.json") + "\n/save " + file("copy.json") + "\n"});
    EXPECT_EQ(loaded.status, 0) << loaded.err;
    EXPECT_EQ(json::parse(read(file("copy.json")))["messages"], saved["messages"]);
    EXPECT_NE(cli({"chat", "-m", kModel}, {.input = "/nonsense\n"}).status, 0);
}

const std::string kLlama = ALCOVE_TEST_DATA "/models/llama/model.gguf";
const std::string kLoras = ALCOVE_TEST_DATA "/models/lora_llama/";
const std::string kBadLoras = ALCOVE_TEST_DATA "/models/lora_bad/";

TEST_F(Cli, AdaptersChangeTheLogitsByTheirStrength) {
    const auto logits = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"logits",  "-m",    kLlama,       "--tokens",
                                     "1,7,300", "--out", file("l.f32")};
        all.insert(all.end(), more.begin(), more.end());
        const Ended ended = cli(all);
        EXPECT_EQ(ended.status, 0) << ended.err;
        return floats(file("l.f32"));
    };
    const auto base = logits({});
    const std::string adapter = kLoras + "adapter_a.gguf";
    EXPECT_EQ(logits({"--adapter", adapter + ":0"}), base);
    EXPECT_EQ(logits({"--adapter", adapter + ":1e-99"}), base);
    EXPECT_EQ(logits({"--adapter", adapter + ":1e-999"}), base);
    const auto whole = logits({"--adapter", adapter});
    EXPECT_NE(whole, base);
    EXPECT_EQ(logits({"--adapter", adapter + ":1.0"}), whole);
    EXPECT_NE(logits({"--adapter", adapter + ":-0.5"}), whole);
    EXPECT_NE(logits({"--adapter", adapter, "--adapter", kLoras + "adapter_b:0.5"}), whole);
    // Registered, it is found by name and has the strength that was set.
    ASSERT_EQ(cli({"adapter", "add", adapter}).status, 0);
    EXPECT_EQ(logits({"--adapter", "adapter_a"}), whole);
    ASSERT_EQ(cli({"adapter", "set-scale", "adapter_a", "0.25"}).status, 0);
    EXPECT_EQ(logits({"--adapter", "adapter_a"}), logits({"--adapter", adapter + ":0.25"}));
}

TEST_F(Cli, BadAdaptersAreRefusedByTheirKind) {
    const std::vector<std::string> run{"run", "-m", kLlama, "-p", "x", "-n", "1", "--adapter"};
    const auto with = [&](const std::string& adapter) {
        std::vector<std::string> all = run;
        all.push_back(adapter);
        return all;
    };
    const std::string good = kLoras + "adapter_a.gguf";
    expect_failure(with(good + ":strong"), 2, "\"strong\", expected a number");
    expect_failure(with(good + ":4.5"), 1, "expected -4 to 4");
    expect_failure(with(good + ":nan"), 1, "expected -4 to 4");
    for (const char* beyond : {":1e99", ":-1e99", ":1e999", ":-1e999", ":inf"})
        expect_failure(with(good + beyond), 1, "expected -4 to 4");
    expect_failure(with("nobody-has-this-adapter"), 1, "nobody-has-this-adapter");
    expect_failure(with(kBadLoras + "peft_dora"), 1, "DoRA");
    expect_failure(with(kBadLoras + "gguf_wrong_arch.gguf"), 1, "qwen3");
    const Ended refused =
        cli({"adapter", "check", kBadLoras + "gguf_nan.gguf", "-m", kLlama, "--json"});
    EXPECT_EQ(refused.status, 1);
    EXPECT_EQ(json::parse(refused.out)["ok"], false);
    EXPECT_EQ(json::parse(refused.out)["code"], "adapter.factor");
    const Ended fits = cli({"adapter", "check", kLoras + "adapter_b", "-m", kLlama, "--json"});
    EXPECT_EQ(fits.status, 0) << fits.err;
    EXPECT_EQ(json::parse(fits.out)["kind"], "peft");
    EXPECT_EQ(json::parse(fits.out)["rank"], 8);
}

TEST_F(Cli, AMovedAdapterIsFoundByItsHash) {
    std::filesystem::create_directories(file("a"));
    std::filesystem::copy(kLoras + "adapter_a.gguf", file("a/first.gguf"));
    ASSERT_EQ(cli({"adapter", "add", file("a/first.gguf")}).status, 0);
    std::filesystem::rename(file("a/first.gguf"), file("a/second.gguf"));
    const json list = json::parse(cli({"adapter", "list", "--json"}).out);
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0]["path"], file("a/second.gguf"));
    std::filesystem::remove(file("a/second.gguf"));
    EXPECT_TRUE(json::parse(cli({"adapter", "list", "--json"}).out)[0]["away"].get<bool>());
    ASSERT_EQ(cli({"adapter", "remove", "second.gguf"}).status, 0);
    EXPECT_EQ(json::parse(cli({"adapter", "list", "--json"}).out), json::array());
}

TEST_F(Cli, APeftFileIsAddedByARelativePath) {
    const std::string peft = kLoras + "adapter_b";
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(peft);
    const Ended added = cli({"adapter", "add", "adapter_model.safetensors", "--json"});
    std::filesystem::current_path(before);
    ASSERT_EQ(added.status, 0) << added.err;
    EXPECT_EQ(json::parse(added.out)[0]["path"], peft);
    EXPECT_EQ(json::parse(added.out)[0]["away"], false);
}

TEST_F(Cli, AnAdapterIsHeldToTheModelThatItIsBoundTo) {
    ASSERT_EQ(cli({"adapter", "add", kLoras + "adapter_a.gguf"}).status, 0);
    ASSERT_EQ(cli({"model", "add", kLlama}).status, 0);
    const auto set = [&](const char* table, const char* column, char digit) {
        SQLite::Database database(file("data/alcove.db"), SQLite::OPEN_READWRITE);
        SQLite::Statement update(database,
                                 std::string("UPDATE ") + table + " SET " + column + " = ?");
        update.bind(1, std::string(64, digit));
        ASSERT_EQ(update.exec(), 1);
    };
    const std::vector<std::string> run{"run", "-m", kLlama,      "-p",       "x",
                                       "-n",  "1",  "--adapter", "adapter_a"};
    set("adapter", "base_sha256", 'a');
    EXPECT_EQ(cli(run).status, 0); // nothing is known of the model's file
    set("model", "sha256", 'b');
    expect_failure(run, 1, "different model file");
    set("model", "sha256", 'a');
    EXPECT_EQ(cli(run).status, 0);
}

TEST_F(Cli, ModelsAndChatsComeFromTheDataFolder) {
    EXPECT_EQ(json::parse(cli({"model", "list", "--json"}).out), json::array());
    const Ended added = cli({"model", "add", kModel, "--json"});
    ASSERT_EQ(added.status, 0) << added.err;
    EXPECT_TRUE(json::parse(added.out)[0]["runnable"].get<bool>());
    const json models = json::parse(cli({"model", "list", "--json"}).out);
    ASSERT_EQ(models.size(), 1U);
    const Ended by_name = cli({"run", "-m", models[0]["name"], "-p", "x", "-n", "1", "--ids"});
    EXPECT_EQ(by_name.status, 0) << by_name.err;
    EXPECT_EQ(json::parse(cli({"chats", "list", "--json"}).out), json::array());
    EXPECT_EQ(json::parse(cli({"--data", file("elsewhere"), "model", "list", "--json"}).out),
              json::array());
    EXPECT_EQ(json::parse(cli({"model", "list", "--json", "--data", file("elsewhere")}).out),
              json::array());
    EXPECT_TRUE(std::filesystem::exists(file("elsewhere/alcove.db")));
}

} // namespace
