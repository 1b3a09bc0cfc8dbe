#include "engine/text/jinja/context.h"

#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace alcove::jinja {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSpecialTokens[] = {"bos_token", "eos_token", "pad_token", "unk_token",
                                               "sep_token", "cls_token", "mask_token"};
constexpr std::string_view kRoles[] = {"system",    "user",     "assistant", "tool",
                                       "developer", "function", "model",     "ipython",
                                       "context",   "document", "documents", "observation",
                                       "critic",    "thinking", "tools",     "tool_response"};

template <std::size_t n> bool holds(const std::string_view (&words)[n], std::string_view word) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

class Converter {
public:
    explicit Converter(Runtime& runtime) : runtime_(runtime) {}

    Value convert(const Json& json, int depth) {
        if (depth > kMaxValueDepth)
            fail_runtime(fmt::format("values nest deeper than {}", kMaxValueDepth));
        runtime_.charge(1);
        switch (json.type()) {
        case Json::value_t::boolean:
            return Value(json.get<bool>());
        case Json::value_t::number_integer:
            return Value(Int{json.get<std::int64_t>()});
        case Json::value_t::number_unsigned:
            return Value(static_cast<Int>(json.get<std::uint64_t>()));
        case Json::value_t::number_float:
            return Value(json.get<double>());
        case Json::value_t::string:
            return text(json.get_ref<const std::string&>(), true);
        case Json::value_t::array: {
            std::vector<Value> items;
            items.reserve(json.size());
            for (const Json& item : json)
                items.push_back(convert(item, depth + 1));
            return runtime_.list(std::move(items));
        }
        case Json::value_t::object:
            return object(json, depth, false);
        default:
            return None{};
        }
    }

    Value object(const Json& json, int depth, bool is_message) {
        DictBuilder out(&runtime_.budget());
        for (const auto& [key, item] : json.items()) {
            const bool known_role = is_message && key == "role" && item.is_string() &&
                                    holds(kRoles, item.get_ref<const std::string&>());
            out.set(text(key, true), known_role ? text(item.get_ref<const std::string&>(), false)
                                                : convert(item, depth + 1));
        }
        return out.build();
    }

    Value text(const std::string& bytes, bool from_data) {
        return runtime_.string(MarkedText(repair_utf8(bytes), from_data));
    }

private:
    Runtime& runtime_;
};

} // namespace

Value context_value(Runtime& runtime, std::string_view name, const Json& json) {
    Converter converter(runtime);
    if (json.is_string() && holds(kSpecialTokens, name))
        return converter.text(json.get_ref<const std::string&>(), false);
    if (name != "messages" || !json.is_array())
        return converter.convert(json, 0);
    std::vector<Value> messages;
    messages.reserve(json.size());
    for (const Json& message : json)
        messages.push_back(message.is_object() ? converter.object(message, 1, true)
                                               : converter.convert(message, 1));
    return runtime.list(std::move(messages));
}

} // namespace alcove::jinja
