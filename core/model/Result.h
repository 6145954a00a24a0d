#pragma once
// Result<T>: a value or an Error meant for a human. Nothing throws across a room's wall; a function
// that can fail returns one of these. Plain values, safe to move between threads.

#include <string>
#include <utility>
#include <variant>

namespace trainscope {

enum class ErrorCode {
    Usage, // the caller asked for something that makes no sense
    NotFound, // the named thing does not exist
    Unreadable, // a file or stream cannot be read, or its bytes are broken
    Unrecognised, // readable, but no format or nothing usable in it
    Refused, // a database that is foreign, newer, locked or read-only
    Io, // writing failed: full disk, permissions
    Cancelled, // the user stopped it
    Internal, // a defect of this program
};

// message: one sentence saying what is wrong and what to do; where: file, line or object, may be
// empty.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string where;

    // "where: message", the form shown to users.
    [[nodiscard]] std::string describe() const {
        return where.empty() ? message : where + ": " + message;
    }
    bool operator==(const Error&) const = default;
};

inline Error usageError(std::string message) {
    return {ErrorCode::Usage, std::move(message), {}};
}

// Names follow C++23's std::expected in this project's spelling. There is no bool conversion, so
// that a Result<bool> cannot be mistaken for its value.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value)) { }
    Result(Error error)
        : m_state(std::in_place_index<1>, std::move(error)) { }

    [[nodiscard]] bool hasValue() const { return m_state.index() == 0; }
    [[nodiscard]] const T& value() const& { return std::get<0>(m_state); }
    [[nodiscard]] T& value() & { return std::get<0>(m_state); }
    // A temporary gives its value away, so that `for (x : f().value())` walks over something alive.
    [[nodiscard]] T value() && { return std::get<0>(std::move(m_state)); }
    [[nodiscard]] const Error& error() const { return std::get<1>(m_state); }
    [[nodiscard]] T valueOr(T other) const { return hasValue() ? value() : std::move(other); }

private:
    std::variant<T, Error> m_state;
};

// Success without a value is Status{}.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error)
        : m_error(std::move(error))
        , m_failed(true) { }

    [[nodiscard]] bool hasValue() const { return !m_failed; }
    [[nodiscard]] const Error& error() const { return m_error; }

private:
    Error m_error;
    bool m_failed = false;
};

using Status = Result<void>;

// For work in steps that each may fail: moves the value to `into`, hands an error on.
template <typename T, typename U>
Status assign(Result<T> result, U& into) {
    if (!result.hasValue())
        return result.error();
    into = std::move(result).value();
    return {};
}

} // namespace trainscope
