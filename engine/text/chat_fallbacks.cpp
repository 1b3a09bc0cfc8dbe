#include "engine/text/chat_fallbacks.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace alcove {
namespace {

// Each writes the roles system, user and assistant; any other role is written as a user's.
constexpr ChatFallback kFallbacks[] = {
    {"chatml", R"({%- for m in messages -%}
<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{{ '' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant
{{ '' }}
{%- endif -%})"},

    {"llama2", R"({%- set ns = namespace(system='') -%}
{%- for m in messages -%}
{%- if m.role == 'system' -%}
{%- set ns.system = '<<SYS>>\n' ~ m.content ~ '\n<</SYS>>\n\n' -%}
{%- elif m.role == 'assistant' -%}
{{ ' ' ~ m.content ~ ' ' ~ eos_token }}
{%- else -%}
{{ bos_token ~ '[INST] ' ~ ns.system ~ m.content ~ ' [/INST]' }}
{%- set ns.system = '' -%}
{%- endif -%}
{%- endfor -%})"},

    {"llama3", R"({{- bos_token -}}
{%- for m in messages -%}
<|start_header_id|>{{ m.role }}<|end_header_id|>

{{ m.content | trim }}<|eot_id|>
{%- endfor -%}
{%- if add_generation_prompt -%}
<|start_header_id|>assistant<|end_header_id|>

{{ '' }}
{%- endif -%})"},

    {"llama4", R"({{- bos_token -}}
{%- for m in messages -%}
<|header_start|>{{ m.role }}<|header_end|>

{{ m.content | trim }}<|eot|>
{%- endfor -%}
{%- if add_generation_prompt -%}
<|header_start|>assistant<|header_end|>

{{ '' }}
{%- endif -%})"},

    {"gemma", R"({{- bos_token -}}
{%- set ns = namespace(system='') -%}
{%- for m in messages -%}
{%- if m.role == 'system' -%}
{%- set ns.system = m.content ~ '\n\n' -%}
{%- else -%}
<start_of_turn>{{ 'model' if m.role == 'assistant' else 'user' }}
{{ ns.system ~ (m.content | trim) }}<end_of_turn>
{{ '' }}
{%- set ns.system = '' -%}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
<start_of_turn>model
{{ '' }}
{%- endif -%})"},

    {"gemma4", R"({{- bos_token -}}
{%- for m in messages -%}
<|turn>{{ 'model' if m.role == 'assistant' else m.role }}
{{ m.content | trim }}<turn|>
{{ '' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|turn>model
{{ '' }}
{%- endif -%})"},

    {"mistral", R"({{- bos_token -}}
{%- set ns = namespace(system='') -%}
{%- for m in messages -%}
{%- if m.role == 'system' -%}
{%- set ns.system = m.content ~ '\n\n' -%}
{%- elif m.role == 'assistant' -%}
{{ ' ' ~ m.content ~ eos_token }}
{%- else -%}
{{ '[INST] ' ~ ns.system ~ m.content ~ ' [/INST]' }}
{%- set ns.system = '' -%}
{%- endif -%}
{%- endfor -%})"},

    {"zephyr", R"({%- for m in messages -%}
<|{{ m.role }}|>
{{ m.content ~ eos_token }}
{{ '' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|assistant|>
{{ '' }}
{%- endif -%})"},

    {"phi3", R"({%- for m in messages -%}
<|{{ m.role }}|>
{{ m.content }}<|end|>
{{ '' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|assistant|>
{{ '' }}
{%- endif -%})"},

    {"phi4", R"({%- for m in messages -%}
<|im_start|>{{ m.role }}<|im_sep|>{{ m.content }}<|im_end|>
{%- endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant<|im_sep|>
{%- endif -%})"},

    {"deepseek", R"({{- bos_token -}}
{%- for m in messages -%}
{%- if m.role == 'system' -%}
{{ m.content }}
{%- elif m.role == 'assistant' -%}
<｜Assistant｜>{{ m.content }}<｜end▁of▁sentence｜>
{%- else -%}
<｜User｜>{{ m.content }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
<｜Assistant｜>
{%- endif -%})"},

    {"command-r", R"({{- bos_token -}}
{%- for m in messages -%}
{%- set role = 'CHATBOT' if m.role == 'assistant' else ('SYSTEM' if m.role == 'system' else 'USER') -%}
<|START_OF_TURN_TOKEN|><|{{ role }}_TOKEN|>{{ m.content }}<|END_OF_TURN_TOKEN|>
{%- endfor -%}
{%- if add_generation_prompt -%}
<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>
{%- endif -%})"},

    {"granite", R"({%- for m in messages -%}
<|start_of_role|>{{ m.role }}<|end_of_role|>{{ m.content }}<|end_of_text|>
{{ '' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|start_of_role|>assistant<|end_of_role|>
{%- endif -%})"},

    {"harmony", R"({%- for m in messages -%}
<|start|>{{ m.role }}{{ '<|channel|>final' if m.role == 'assistant' else '' }}<|message|>{{ m.content }}<|end|>
{%- endfor -%}
{%- if add_generation_prompt -%}
<|start|>assistant
{%- endif -%})"},

    {"plain", R"({%- for m in messages -%}
{%- if m.role == 'system' -%}
{{ m.content ~ '\n\n' }}
{%- else -%}
{{ ('Assistant: ' if m.role == 'assistant' else 'User: ') ~ m.content ~ '\n' }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
Assistant:
{%- endif -%})"},
};

/// A format whose tokens, when all are in the vocabulary, give it away. The first that fits wins.
struct Sign {
    std::string_view format, first_token, second_token;
};
constexpr Sign kSigns[] = {
    {"phi4", "<|im_start|>", "<|im_sep|>"},
    {"llama3", "<|start_header_id|>", "<|eot_id|>"},
    {"llama4", "<|header_start|>", "<|eot|>"},
    {"gemma4", "<|turn>", "<turn|>"},
    {"gemma", "<start_of_turn>", "<end_of_turn>"},
    {"command-r", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>"},
    {"granite", "<|start_of_role|>", "<|end_of_role|>"},
    {"harmony", "<|start|>", "<|message|>"},
    {"deepseek", "<｜User｜>", "<｜Assistant｜>"},
    {"chatml", "<|im_start|>", "<|im_end|>"},
    {"phi3", "<|assistant|>", "<|end|>"},
    {"zephyr", "<|assistant|>", "<|user|>"},
    {"mistral", "[INST]", "[/INST]"},
};

} // namespace

std::span<const ChatFallback> chat_fallbacks() {
    return kFallbacks;
}

const ChatFallback* find_chat_fallback(std::string_view name) {
    const auto* found =
        std::find_if(std::begin(kFallbacks), std::end(kFallbacks),
                     [&](const ChatFallback& fallback) { return fallback.name == name; });
    return found == std::end(kFallbacks) ? nullptr : found;
}

std::string_view choose_chat_fallback(std::string_view architecture, std::string_view model_name,
                                      const std::function<bool(std::string_view)>& has_token) {
    for (const Sign& sign : kSigns)
        if (has_token(sign.first_token) && has_token(sign.second_token))
            return sign.format;
    // Formats without control tokens of their own show in the model's name alone.
    std::string name(model_name);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto names = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    const bool tuned = names("chat") || names("instruct") || names("-it");
    if (names("zephyr") || names("tinyllama"))
        return "zephyr";
    if ((names("mistral") || names("mixtral")) && tuned)
        return "mistral";
    if (architecture == "llama" && tuned)
        return "llama2";
    return "plain";
}

} // namespace alcove
