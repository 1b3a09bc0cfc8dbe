#include "engine/adapter/peft_config.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

/// Where the modules of Hugging Face models lie in GGUF files.
namespace alcove::adapter {

namespace {

struct Name {
    std::string_view module, tensor;
};

constexpr std::array kModelNames = {
    Name{"embed_tokens", "token_embd"},
    Name{"lm_head", "output"},
    Name{"per_layer_model_projection", "per_layer_model_proj"},
};

/// After `layers.N.`.
constexpr std::array kLayerNames = {
    Name{"self_attn.q_proj", "attn_q"},          Name{"self_attn.k_proj", "attn_k"},
    Name{"self_attn.v_proj", "attn_v"},          Name{"self_attn.qkv_proj", "attn_qkv"},
    Name{"self_attn.o_proj", "attn_output"},     Name{"self_attn.out_proj", "attn_output"},
    Name{"mlp.gate_proj", "ffn_gate"},           Name{"mlp.up_proj", "ffn_up"},
    Name{"mlp.down_proj", "ffn_down"},           Name{"mlp.gate_up_proj", "ffn_up"},
    Name{"feed_forward.w1", "ffn_gate"},         Name{"feed_forward.w3", "ffn_up"},
    Name{"feed_forward.w2", "ffn_down"},         Name{"conv.in_proj", "shortconv.in_proj"},
    Name{"conv.out_proj", "shortconv.out_proj"}, Name{"per_layer_input_gate", "inp_gate"},
    Name{"per_layer_projection", "proj"},        Name{"mlp.gate", "ffn_gate_inp"},
    Name{"feed_forward.gate", "ffn_gate_inp"},
};

/// After `experts.E.`.
constexpr std::array kExpertNames = {
    Name{"gate_proj", "ffn_gate_exps"}, Name{"up_proj", "ffn_up_exps"},
    Name{"down_proj", "ffn_down_exps"}, Name{"w1", "ffn_gate_exps"},
    Name{"w3", "ffn_up_exps"},          Name{"w2", "ffn_down_exps"},
};

template <typename Names> std::string_view look_up(const Names& names, std::string_view module) {
    for (const Name& name : names) {
        if (name.module == module)
            return name.tensor;
    }
    return {};
}

/// Takes "<number>." off the front.
std::optional<std::int32_t> take_number(std::string_view& text) {
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || end == text.data() + text.size() || *end != '.')
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    return number;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

} // namespace

PeftTarget find_peft_target(std::string_view module) {
    for (const std::string_view prefix :
         {"model.language_model.", "language_model.model.", "model.model.", "model."}) {
        if (take_prefix(module, prefix))
            break;
    }
    PeftTarget target;
    if (const std::string_view tensor = look_up(kModelNames, module); !tensor.empty()) {
        target.tensor = fmt::format("{}.weight", tensor);
        return target;
    }
    if (!take_prefix(module, "layers."))
        return target;
    const auto layer = take_number(module);
    if (!layer)
        return target;
    std::string_view tensor = look_up(kLayerNames, module);
    if (tensor.empty() &&
        (take_prefix(module, "mlp.experts.") || take_prefix(module, "feed_forward.experts."))) {
        const auto expert = take_number(module);
        if (!expert)
            return target;
        target.expert = *expert;
        tensor = look_up(kExpertNames, module);
    }
    if (tensor.empty())
        return target;
    target.rotated = tensor == "attn_q" || tensor == "attn_k";
    target.tensor = fmt::format("blk.{}.{}.weight", *layer, tensor);
    return target;
}

} // namespace alcove::adapter
