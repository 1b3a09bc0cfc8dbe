#include "engine/text/chat_template.h"

#include "engine/text/jinja/error.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/parser.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <new>

namespace alcove {
namespace {

constexpr std::size_t kMaxSourceBytes = 8U << 20U;

TemplateError to_error(const jinja::JinjaError& error) {
    if (error.kind == TemplateErrorKind::Raised || error.line == 0)
        return {error.kind, error.message};
    return {error.kind, fmt::format("line {}: {}", error.line, error.message)};
}

class JinjaTemplate final : public ChatTemplate {
public:
    JinjaTemplate(std::string source, jinja::Program program, TemplateLimits limits)
        : source_(std::move(source)), program_(std::move(program)), limits_(limits) {}

    std::variant<Rendered, TemplateError> render(const nlohmann::ordered_json& context,
                                                 std::optional<std::int64_t> now) const override {
        try {
            jinja::Interpreter interpreter(program_, limits_, now);
            return Rendered{interpreter.run(context).segments()};
        } catch (const jinja::JinjaError& error) {
            return to_error(error);
        } catch (const std::bad_alloc&) {
            return TemplateError{TemplateErrorKind::Runtime,
                                 "memory is not enough to render the template"};
        }
    }

    std::string_view source() const override { return source_; }

private:
    std::string source_;
    jinja::Program program_;
    TemplateLimits limits_;
};

} // namespace

std::string ChatTemplate::Rendered::text() const {
    std::string out;
    for (const TextSegment& segment : segments)
        out += segment.text;
    return out;
}

std::variant<std::shared_ptr<const ChatTemplate>, TemplateError>
ChatTemplate::compile(std::string source, TemplateLimits limits) {
    if (source.size() > kMaxSourceBytes)
        return TemplateError{TemplateErrorKind::Syntax,
                             fmt::format("the template has {} bytes, the limit is {}",
                                         source.size(), kMaxSourceBytes)};
    try {
        jinja::Program program = jinja::parse(jinja::repair_utf8(source), limits.max_depth);
        return std::make_shared<const JinjaTemplate>(std::move(source), std::move(program), limits);
    } catch (const jinja::JinjaError& error) {
        return to_error(error);
    } catch (const std::bad_alloc&) {
        return TemplateError{TemplateErrorKind::Syntax,
                             "memory is not enough to read the template"};
    }
}

} // namespace alcove
