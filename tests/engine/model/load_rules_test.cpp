#include "engine/format/gguf_writer.h"
#include "engine/model/loaded_model.h"
#include "tests/engine/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <variant>

namespace alcove::model {
namespace {

/// A file in the making: what a test changes before it is written.
struct Draft {
    using Value = std::variant<std::uint32_t, float, std::string, std::vector<std::int32_t>>;
    struct Tensor {
        std::vector<std::uint64_t> dims;
        QuantType type = QuantType::F32;
        float fill = 1.0F;
    };
    std::string architecture;
    std::map<std::string, Value> keys; // without the architecture's prefix
    std::map<std::string, Tensor> tensors;

    void number(const std::string& key, std::uint32_t value) { keys[key] = value; }
};

constexpr std::uint32_t kEmbd = 64, kFf = 96, kVocab = 40;

Draft llama(const std::string& architecture = "llama") {
    Draft draft{architecture, {}, {}};
    draft.number("block_count", 1);
    draft.number("context_length", 512);
    draft.number("embedding_length", kEmbd);
    draft.number("feed_forward_length", kFf);
    draft.number("attention.head_count", 4);
    draft.number("attention.head_count_kv", 2);
    draft.keys["attention.layer_norm_rms_epsilon"] = 1e-5F;
    draft.tensors = {
        {"token_embd.weight", {{kEmbd, kVocab}}},  {"output_norm.weight", {{kEmbd}}},
        {"blk.0.attn_norm.weight", {{kEmbd}}},     {"blk.0.ffn_norm.weight", {{kEmbd}}},
        {"blk.0.attn_q.weight", {{kEmbd, kEmbd}}}, {"blk.0.attn_k.weight", {{kEmbd, 32}}},
        {"blk.0.attn_v.weight", {{kEmbd, 32}}},    {"blk.0.attn_output.weight", {{kEmbd, kEmbd}}},
        {"blk.0.ffn_gate.weight", {{kEmbd, kFf}}}, {"blk.0.ffn_up.weight", {{kEmbd, kFf}}},
        {"blk.0.ffn_down.weight", {{kFf, kEmbd}}}};
    return draft;
}

void add_experts(Draft& draft, const std::string& layer) {
    for (const char* dense : {"ffn_gate.weight", "ffn_up.weight", "ffn_down.weight"})
        draft.tensors.erase(layer + dense);
    draft.number("expert_count", 4);
    draft.number("expert_used_count", 2);
    draft.number("expert_feed_forward_length", 32);
    draft.tensors[layer + "ffn_gate_inp.weight"] = {{kEmbd, 4}};
    draft.tensors[layer + "ffn_gate_exps.weight"] = {{kEmbd, 32, 4}};
    draft.tensors[layer + "ffn_up_exps.weight"] = {{kEmbd, 32, 4}};
    draft.tensors[layer + "ffn_down_exps.weight"] = {{32, kEmbd, 4}};
}

Draft qwen3moe() {
    Draft draft = llama("qwen3moe");
    draft.tensors["blk.0.attn_q_norm.weight"] = {{16}};
    draft.tensors["blk.0.attn_k_norm.weight"] = {{16}};
    add_experts(draft, "blk.0.");
    return draft;
}

/// Layer 0 convolves, layer 1 attends and has experts.
Draft lfm2moe() {
    Draft draft = llama("lfm2moe");
    draft.number("block_count", 2);
    draft.number("shortconv.l_cache", 3);
    draft.number("leading_dense_block_count", 1);
    draft.number("expert_gating_func", 2);
    draft.keys["attention.head_count_kv"] = std::vector<std::int32_t>{0, 2};
    auto& tensors = draft.tensors;
    tensors.erase("output_norm.weight");
    tensors["token_embd_norm.weight"] = {{kEmbd}};
    for (const char* name :
         {"attn_q.weight", "attn_k.weight", "attn_v.weight", "attn_output.weight"})
        tensors[std::string("blk.1.") + name] =
            tensors.extract(std::string("blk.0.") + name).mapped();
    for (const char* name : {"attn_norm.weight", "ffn_norm.weight"})
        tensors[std::string("blk.1.") + name] = {{kEmbd}};
    tensors["blk.1.attn_q_norm.weight"] = {{16}};
    tensors["blk.1.attn_k_norm.weight"] = {{16}};
    tensors["blk.0.shortconv.in_proj.weight"] = {{kEmbd, 3 * kEmbd}};
    tensors["blk.0.shortconv.conv.weight"] = {{3, kEmbd}};
    tensors["blk.0.shortconv.out_proj.weight"] = {{kEmbd, kEmbd}};
    add_experts(draft, "blk.1.");
    tensors["blk.1.exp_probs_b.bias"] = {{4}};
    return draft;
}

Draft phi3() {
    Draft draft = llama("phi3");
    auto& tensors = draft.tensors;
    for (const char* name : {"attn_q.weight", "attn_k.weight", "attn_v.weight", "ffn_gate.weight"})
        tensors.erase(std::string("blk.0.") + name);
    tensors["blk.0.attn_qkv.weight"] = {{kEmbd, kEmbd + 64}};
    tensors["blk.0.ffn_up.weight"] = {{kEmbd, 2 * kFf}};
    tensors["rope_factors_long.weight"] = {{8}};
    tensors["rope_factors_short.weight"] = {{8}};
    return draft;
}

Draft granite() {
    Draft draft = llama("granite");
    draft.keys["logit_scale"] = 4.0F;
    return draft;
}

void write(const Draft& draft, const std::filesystem::path& path) {
    GgufWriter writer;
    writer.add_string("general.architecture", draft.architecture);
    for (const auto& [key, value] : draft.keys) {
        const std::string name = key.starts_with("general.") ? key : draft.architecture + "." + key;
        std::visit(
            [&](const auto& held) {
                using T = std::decay_t<decltype(held)>;
                if constexpr (std::is_same_v<T, std::uint32_t>)
                    writer.add_u32(name, held);
                else if constexpr (std::is_same_v<T, float>)
                    writer.add_f32(name, held);
                else if constexpr (std::is_same_v<T, std::string>)
                    writer.add_string(name, held);
                else
                    writer.add_i32s(name, held);
            },
            value);
    }
    for (const auto& [name, tensor] : draft.tensors) {
        std::size_t n = 1;
        for (const std::uint64_t dim : tensor.dims)
            n *= dim;
        const std::vector<float> values(n, tensor.fill);
        const QuantTraits& traits = *quant_traits(tensor.type);
        writer.add_tensor(name, tensor.type, tensor.dims,
                          std::as_bytes(std::span(values)).first(row_bytes(traits, n)));
    }
    const auto written = writer.write(path);
    ASSERT_TRUE(written) << written.error().message;
}

struct Rule {
    const char* name;
    std::function<Draft()> base;
    std::function<void(Draft&)> fault;
    const char* sentence; ///< part of it
};

std::ostream& operator<<(std::ostream& out, const Rule& rule) {
    return out << rule.name;
}

class LoadRule : public testing::TestWithParam<Rule> {};

Status load(const Draft& draft) {
    const test::TemporaryFolder folder;
    write(draft, folder.path() / "tiny.gguf");
    auto file = GgufFile::open(folder.path() / "tiny.gguf");
    if (!file)
        return file.error();
    auto model = load_model(*file);
    if (!model)
        return model.error();
    return ok();
}

TEST_P(LoadRule, IsRefusedWithItsSentence) {
    Draft draft = GetParam().base();
    const Status sound = load(draft);
    ASSERT_TRUE(sound) << sound.error().message;
    GetParam().fault(draft);
    const Status status = load(draft);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(GetParam().sentence), std::string::npos)
        << status.error().message;
    EXPECT_EQ(status.error().message.find('\n'), std::string::npos);
}

const Rule kRules[] = {
    {"Adapter", [] { return llama(); }, [](Draft& d) { d.keys["general.type"] = "adapter"; },
     "the file is an adapter, which is added to a model, expected a model"},
    {"VocabularyBeyondEmbedding", [] { return llama(); },
     [](Draft& d) { d.number("vocab_size", kVocab + 1); },
     "llama.vocab_size is 41, expected at most 40 (rows of token_embd.weight)"},
    {"OutputOfOtherWidth", [] { return llama(); },
     [](Draft& d) {
         d.tensors["output.weight"] = {{32, kVocab}};
     },
     "tensor output.weight has shape [32, 40], expected [64, 40]"},
    {"OddHead", [] { return llama(); }, [](Draft& d) { d.number("attention.key_length", 15); },
     "heads have 15 values, expected an even number"},
    {"ValuesOfOtherLength", [] { return llama(); },
     [](Draft& d) { d.number("attention.value_length", 8); },
     "llama.attention.value_length is 8, expected 16"},
    {"RopeFactorsOfOtherLength", [] { return llama(); },
     [](Draft& d) { d.tensors["rope_freqs.weight"] = {{16}}; },
     "tensor rope_freqs.weight has shape [16], expected [8]"},
    {"RopeFactorZero", [] { return llama(); },
     [](Draft& d) {
         d.tensors["rope_freqs.weight"] = {{8}, QuantType::F32, 0.0F};
     },
     "tensor rope_freqs.weight holds 0 at 0"},
    {"ScalingUnknown", [] { return llama(); },
     [](Draft& d) { d.keys["rope.scaling.type"] = "spiral"; },
     "llama.rope.scaling.type is \"spiral\", expected none, linear, yarn or longrope"},
    {"YarnThatTurnsNegative", [] { return llama(); },
     [](Draft& d) {
         d.keys["rope.scaling.type"] = "yarn";
         d.keys["rope.scaling.factor"] = 4.0F;
         d.keys["rope.scaling.yarn_log_multiplier"] = -20.0F;
     },
     "llama.rope.scaling.yarn_log_multiplier is -20, expected more than -7.2"},
    {"LongropeWithoutFactors", [] { return llama(); },
     [](Draft& d) { d.keys["rope.scaling.type"] = "longrope"; },
     "rope_factors_short.weight are missing, longrope scaling needs them"},
    {"BiasWithoutPlace", [] { return llama(); },
     [](Draft& d) { d.tensors["blk.0.attn_x.bias"] = {{kEmbd}}; },
     "tensor blk.0.attn_x.bias has no place in the architecture llama"},
    {"TypeThatDoesNotCompute", [] { return llama(); },
     [](Draft& d) { d.tensors["blk.0.attn_q.weight"].type = QuantType::I8; },
     "tensor blk.0.attn_q.weight has type I8, expected a type that computes: F32, F16, "},
    {"NormThatIsNotFloat", [] { return llama(); },
     [](Draft& d) { d.tensors["blk.0.attn_norm.weight"].type = QuantType::F16; },
     "tensor blk.0.attn_norm.weight has type F16, expected F32"},
    {"RowsOfPartBlocks", [] { return llama(); },
     [](Draft& d) { d.tensors["blk.0.attn_q.weight"].type = QuantType::Q4_K; }, "256"},
    {"ExpertsInADenseModel", [] { return llama("smollm3"); },
     [](Draft& d) { d.number("expert_count", 4); },
     "smollm3.expert_count is 4, expected 0: smollm3 models with experts are not supported"},
    {"LogitScaleMissing", granite, [](Draft& d) { d.keys.erase("logit_scale"); },
     "granite.logit_scale is missing"},
    {"LogitScaleZero", granite, [](Draft& d) { d.keys["logit_scale"] = 0.0F; },
     "granite.logit_scale is 0, expected another number"},
    {"ExpertCountMissing", qwen3moe, [](Draft& d) { d.keys.erase("expert_count"); },
     "qwen3moe.expert_used_count is 2, expected at most 0 (expert_count)"},
    {"ExpertsMissingAltogether", qwen3moe,
     [](Draft& d) {
         d.keys.erase("expert_count");
         d.keys.erase("expert_used_count");
     },
     "qwen3moe.expert_count is missing, expected 1 to 4096"},
    {"ExpertsZero", qwen3moe,
     [](Draft& d) {
         d.number("expert_count", 0);
         d.number("expert_used_count", 0);
     },
     "qwen3moe.expert_count is 0, expected 1 to 4096"},
    {"ExpertsUsedZero", qwen3moe, [](Draft& d) { d.number("expert_used_count", 0); },
     "qwen3moe.expert_used_count is 0, expected 1 to 4"},
    {"ExpertsUsedMore", qwen3moe, [](Draft& d) { d.number("expert_used_count", 5); },
     "qwen3moe.expert_used_count is 5, expected at most 4 (expert_count)"},
    {"ExpertTensorFlat", qwen3moe,
     [](Draft& d) {
         d.tensors["blk.0.ffn_gate_exps.weight"] = {{kEmbd, 128}};
     },
     "tensor blk.0.ffn_gate_exps.weight has shape [64, 128], expected [64, 32, 4]"},
    {"ExpertTensorOfFewer", qwen3moe,
     [](Draft& d) {
         d.tensors["blk.0.ffn_down_exps.weight"] = {{32, kEmbd, 3}};
     },
     "tensor blk.0.ffn_down_exps.weight has shape [32, 64, 3], expected [32, 64, 4]"},
    {"ExpertsMissing", qwen3moe, [](Draft& d) { d.tensors.erase("blk.0.ffn_up_exps.weight"); },
     "tensor blk.0.ffn_up_exps.weight is missing"},
    {"ConvOfFiveTaps", lfm2moe, [](Draft& d) { d.number("shortconv.l_cache", 5); },
     "lfm2moe.shortconv.l_cache is 5, expected 2 to 4"},
    {"ConvOfOtherLength", lfm2moe, [](Draft& d) { d.number("shortconv.l_cache", 4); },
     "tensor blk.0.shortconv.conv.weight has shape [3, 64], expected [4, 64]"},
    {"HeadCountsForOtherLayers", lfm2moe,
     [](Draft& d) {
         d.keys["attention.head_count_kv"] = std::vector<std::int32_t>{0, 2, 2};
     },
     "lfm2moe.attention.head_count_kv is an array of 3, expected one value for each of 2 layers"},
    {"KindOfLayerContradicts", lfm2moe,
     [](Draft& d) {
         d.keys["attention.head_count_kv"] = std::vector<std::int32_t>{2, 2};
     },
     "layer 0: lfm2moe.attention.head_count_kv is 2, but tensor blk.0.attn_q.weight is missing"},
    {"GatingMissing", lfm2moe, [](Draft& d) { d.keys.erase("expert_gating_func"); },
     "lfm2moe.expert_gating_func is missing"},
    {"GatingNotSigmoid", lfm2moe, [](Draft& d) { d.number("expert_gating_func", 1); },
     "lfm2moe.expert_gating_func is 1, expected 2"},
    {"ExpertWidthOdd", lfm2moe, [](Draft& d) { d.number("expert_feed_forward_length", 33); },
     "lfm2moe.expert_feed_forward_length is 33, expected a multiple of 32 up to 96"},
    {"ExpertWidthMore", lfm2moe, [](Draft& d) { d.number("expert_feed_forward_length", 128); },
     "lfm2moe.expert_feed_forward_length is 128, expected a multiple of 32 up to 96"},
    {"RouterBiasShort", lfm2moe, [](Draft& d) { d.tensors["blk.1.exp_probs_b.bias"] = {{3}}; },
     "tensor blk.1.exp_probs_b.bias has shape [3], expected [4]"},
    {"FusedQueriesShort", phi3,
     [](Draft& d) {
         d.tensors["blk.0.attn_qkv.weight"] = {{kEmbd, kEmbd}};
     },
     "tensor blk.0.attn_qkv.weight has shape [64, 64], expected [64, 128]"},
    {"OneSetOfFactors", phi3, [](Draft& d) { d.tensors.erase("rope_factors_long.weight"); },
     "tensor rope_factors_long.weight is missing, expected beside rope_factors_short.weight"},
};

INSTANTIATE_TEST_SUITE_P(Rules, LoadRule, testing::ValuesIn(kRules),
                         [](const auto& rule) { return std::string(rule.param.name); });

} // namespace
} // namespace alcove::model
