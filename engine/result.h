#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

/// Errors of the engine, as values. Anything that comes from outside (file, template, grammar, user) fails with a
/// `Result`; a broken promise inside the program fails with ALCOVE_CHECK.
namespace alcove {

/// The kind of a failure. `app` has one table from Errc to translated text, next step and exit status.
enum class Errc : std::uint8_t {
    InvalidArgument, ///< a setting or option out of its range
    NotFound,        ///< file or name does not exist
    Io,              ///< reading or writing failed, permission, disk full
    Format,          ///< the file is damaged or not of the kind expected
    Unsupported,     ///< well-formed, but of a kind, type or version that Alcove does not run
    Model,           ///< the container is sound, but the model in it contradicts itself
    Tokenizer,       ///< the vocabulary is unusable
    Template,        ///< the chat template failed; the message names line and reason
    Grammar,         ///< the grammar or schema was refused
    Adapter,         ///< the adapter was refused
    Memory,          ///< memory is not enough
    ContextFull,     ///< the prompt does not fit the context; the message has both numbers
    Cancelled,       ///< stopped on request
    Numeric,         ///< not-a-number in the model's output
    Internal,        ///< a library threw; the message says what
};

/// One failure. `message` is one sentence that says where, what was found and what was expected, without a final
/// full stop added by callers: it is shown as it is.
struct Error {
    Errc code = Errc::Internal;
    std::string message;
};

/// Value or Error. The method names are those of std::expected (C++23), so that nobody has to learn them.
template <typename T> class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value) : storage_(std::in_place_index<0>, std::move(value)) {} // NOLINT(google-explicit-constructor)
    Result(Error error) : storage_(std::in_place_index<1>, std::move(error)) {} // NOLINT(google-explicit-constructor)

    bool has_value() const noexcept { return storage_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T& value() & {
        require_value();
        return *std::get_if<0>(&storage_);
    }
    const T& value() const& {
        require_value();
        return *std::get_if<0>(&storage_);
    }
    T&& value() && {
        require_value();
        return std::move(*std::get_if<0>(&storage_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& { return std::get<1>(storage_); }
    Error&& error() && { return std::get<1>(std::move(storage_)); }

    template <typename U> T value_or(U&& fallback) const& {
        return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
    }

private:
    void require_value() const {
        if (!has_value())
            throw std::logic_error("Result without value: " + std::get<1>(storage_).message);
    }
    std::variant<T, Error> storage_;
};

/// Success or Error, where there is no value to return: `return ok();`
using Status = Result<std::monostate>;
inline Status ok() { return std::monostate{}; }

/// Called by ALCOVE_CHECK; prints the broken promise and aborts.
[[noreturn]] void check_failed(const char* condition, const char* why, const char* file, int line);

} // namespace alcove

#define ALCOVE_CONCAT_INNER(a, b) a##b
#define ALCOVE_CONCAT(a, b) ALCOVE_CONCAT_INNER(a, b)

/// ALCOVE_ASSIGN_OR_RETURN(auto x, f()): x becomes the value of f(), or the function returns f()'s error.
#define ALCOVE_ASSIGN_OR_RETURN(lhs, expression)                                                                       \
    ALCOVE_ASSIGN_OR_RETURN_IMPL(ALCOVE_CONCAT(alcove_result_, __LINE__), lhs, expression)
#define ALCOVE_ASSIGN_OR_RETURN_IMPL(result, lhs, expression)                                                          \
    auto result = (expression);                                                                                        \
    if (!result)                                                                                                       \
        return std::move(result).error();                                                                              \
    lhs = std::move(result).value()

/// ALCOVE_RETURN_IF_ERROR(f()): the function returns f()'s error if there is one.
#define ALCOVE_RETURN_IF_ERROR(expression)                                                                             \
    do {                                                                                                               \
        auto alcove_status = (expression);                                                                             \
        if (!alcove_status)                                                                                            \
            return std::move(alcove_status).error();                                                                   \
    } while (false)

/// A promise inside the program, always checked.
#define ALCOVE_CHECK(condition, why)                                                                                   \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ::alcove::check_failed(#condition, why, __FILE__, __LINE__);                                               \
    } while (false)

/// The same for hot loops: debug builds only.
#ifdef NDEBUG
#define ALCOVE_DCHECK(condition, why)                                                                                  \
    do {                                                                                                               \
    } while (false)
#else
#define ALCOVE_DCHECK(condition, why) ALCOVE_CHECK(condition, why)
#endif
