#pragma once

#include "engine/result.h"
#include "engine/text/text_segment.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace alcove {

/// What went wrong in a template, for `alcove-cli template` (the kinds of the fixtures).
enum class TemplateErrorKind : std::uint8_t { Raised, Undefined, Runtime, Security, Syntax };

struct TemplateError {
    TemplateErrorKind kind = TemplateErrorKind::Runtime;
    /// With "line N: " where the line is known; for Raised the template's own message alone.
    std::string message;
};

/// Limits against hostile templates. Exceeding one is a Runtime error that names the limit.
struct TemplateLimits {
    std::uint64_t max_steps = 20'000'000;      ///< evaluated nodes
    std::size_t max_output_bytes = 64U << 20U; ///< rendered text
    std::size_t max_value_bytes = 256U << 20U; ///< all live strings and containers, approximately
    int max_depth = 200;                       ///< nesting of expressions, statements and calls
};

/// A compiled Jinja template as transformers uses it: trim_blocks, lstrip_blocks, loop controls, no
/// file access. Immutable, safe to render from several threads at once.
class ChatTemplate {
public:
    /// Either a template or a Syntax error.
    static std::variant<std::shared_ptr<const ChatTemplate>, TemplateError>
    compile(std::string source, TemplateLimits limits = {});
    virtual ~ChatTemplate() = default;

    struct Rendered {
        TextSegments segments; ///< together they are the text; neighbours differ in from_data
        std::string text() const;
    };

    /// Renders with `context` (an object; key order is kept: nlohmann::ordered_json) as the
    /// template's variables. Their text is marked as from_data, except for special tokens
    /// (`bos_token`, …) and the usual words as the `role` of messages. `now` fixes strftime_now
    /// (seconds since the epoch, taken as local broken-down time in UTC); absent: the clock.
    virtual std::variant<Rendered, TemplateError>
    render(const nlohmann::ordered_json& context, std::optional<std::int64_t> now = {}) const = 0;

    virtual std::string_view source() const = 0;
};

} // namespace alcove
