#pragma once

#include "engine/result.h"
#include "engine/text/chat_template.h"
#include "engine/text/text_segment.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove {

class GgufFile;
class Tokenizer;

/// What a model's conversation format is made from. `ChatFormat::load` reads it from a file.
struct ChatFormatSources {
    std::string chat_template;     ///< empty: none
    std::string tool_use_template; ///< the variant named tool_use, empty: none
    std::string rag_template;      ///< the variant named rag, for documents; empty: none
    std::string fallback =
        "chatml"; ///< name of the built-in format to use instead; see chat_fallbacks.h
    /// Variables like bos_token with their text. A token that the model lacks is left out: it is
    /// undefined then, as in transformers.
    std::vector<std::pair<std::string, std::string>> special_tokens;
};

struct ChatRequest {
    const nlohmann::ordered_json* messages = nullptr; ///< [{"role":…,"content":…}, …]
    /// Further variables (enable_thinking, …), among them `tools` and `documents`; may be null.
    const nlohmann::ordered_json* extra = nullptr;
    bool add_generation_prompt = true;
    std::optional<std::int64_t> now{}; ///< see ChatTemplate::render
};

struct RenderedChat {
    TextSegments segments;
    std::string format; ///< "template", "template tool_use", "template rag", or the fallback's name
    std::vector<std::string> warnings; ///< whole sentences; the person has to see them
    std::vector<std::string> notes;    ///< what was adapted to the template, for details
};

/// How one model wants a conversation written. Knows the templates' habits:
/// - `content` that is null or missing becomes ""; a list of text parts becomes one text where the
///   template cannot walk lists;
/// - tools that are None become [] if the template fails without;
/// - a system message goes before the first user message where the template refuses one.
/// A template that is missing, cannot be read or fails is replaced by a built-in format, with a
/// warning that names both. What a template refuses by itself (raise_exception) is an error: the
/// conversation has to change, not the format. Immutable; safe to use from several threads.
class ChatFormat {
public:
    /// The format of `file`: `tokenizer.chat_template` and its named variants, or
    /// `override_template` in their place. Never fails; what is wrong is said when a conversation
    /// is rendered.
    static std::shared_ptr<const ChatFormat>
    load(const GgufFile& file, const Tokenizer& tokenizer,
         std::optional<std::string> override_template = {});
    static std::shared_ptr<const ChatFormat> make(ChatFormatSources sources);

    /// Errc::InvalidArgument for messages that are none, Errc::Template for what the template
    /// refuses.
    Result<RenderedChat> render(const ChatRequest& request) const;

    /// Why the file's own template cannot be used, or empty.
    const std::string& problem() const { return main_.problem; }
    const std::string& fallback_name() const { return fallback_name_; }
    /// The template that a conversation without tools is rendered with.
    std::string_view source() const;

private:
    struct Entry {
        std::string format;
        std::shared_ptr<const ChatTemplate> compiled; ///< null: missing or broken
        std::string problem;
        bool walks_lists = false; ///< content may be a list of parts
    };
    struct Attempt;

    ChatFormat() = default;
    Entry compile(std::string source, std::string format) const;
    const Entry& choose(const nlohmann::ordered_json& variables) const;
    Attempt try_render(const Entry& entry, const nlohmann::ordered_json& variables,
                       const ChatRequest& request) const;
    Attempt try_adapted(const Entry& entry, nlohmann::ordered_json variables,
                        const ChatRequest& request, std::vector<std::string>& notes) const;
    nlohmann::ordered_json variables_for(const ChatRequest& request) const;

    Entry main_, tool_use_, rag_, fallback_;
    std::string fallback_name_;
    std::vector<std::pair<std::string, std::string>> special_tokens_;
};

} // namespace alcove
