#pragma once

#include "engine/text/chat_template.h"

#include <string>
#include <utility>

namespace alcove::jinja {

/// Thrown inside the template engine only; `ChatTemplate::compile` and `render` turn it into a
/// TemplateError. An interpreter of a language with errors in every expression is clearer with an
/// exception than with a Result per node.
struct JinjaError {
    TemplateErrorKind kind;
    std::string message;
    int line = 0; ///< 0: not known yet; the innermost statement fills it in
};

[[noreturn]] inline void fail(TemplateErrorKind kind, std::string message, int line = 0) {
    throw JinjaError{kind, std::move(message), line};
}
[[noreturn]] inline void fail_runtime(std::string message) {
    fail(TemplateErrorKind::Runtime, std::move(message));
}

} // namespace alcove::jinja
