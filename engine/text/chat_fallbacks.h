#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace alcove {

/// A built-in conversation format, for models whose file has no template that works.
struct ChatFallback {
    std::string_view name;
    std::string_view source; ///< a template of our own for the format's published description
};

std::span<const ChatFallback> chat_fallbacks();
/// The template of the format `name`; null if there is none.
const ChatFallback* find_chat_fallback(std::string_view name);

/// The format that fits a model best, told by the control tokens in its vocabulary, else by its
/// architecture. "plain" (User: … Assistant: …) where nothing points to another.
///   has_token  whether the vocabulary has a token of exactly this text
std::string_view choose_chat_fallback(std::string_view architecture, std::string_view model_name,
                                      const std::function<bool(std::string_view)>& has_token);

} // namespace alcove
