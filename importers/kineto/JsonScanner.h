#pragma once
// A tolerant pull scanner for JSON text that lies in memory and may end anywhere. It copies
// nothing: tokens are views into the text. Tolerated: control characters and invalid UTF-8 in
// strings, unknown escapes, NaN and Infinity, trailing commas (left to the caller). kPadding
// readable zero bytes must follow the text.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainscope::importers::kineto {

enum class Scan {
    Ok,
    NeedMore, // the text ended inside the token
    Broken, // not JSON here
};

enum class TokenKind : std::uint8_t { None, String, Number, Literal, Object, Array };

struct JsonToken {
    TokenKind kind = TokenKind::None;
    bool isPlain = true; // a string without backslashes and control characters
    std::string_view text; // of a string: without its quotes, escapes as written

    // As it stands in the trace, with quotes.
    [[nodiscard]] std::string_view raw() const {
        return kind == TokenKind::String ? std::string_view(text.data() - 1, text.size() + 2)
                                         : text;
    }
};

class JsonScanner {
public:
    static constexpr std::size_t kPadding = 16;
    static constexpr std::size_t kMaxString = std::size_t{4} << 20;

    JsonScanner(const char* begin, const char* end)
        : m_pos(begin)
        , m_end(end) { }

    [[nodiscard]] const char* position() const { return m_pos; }
    [[nodiscard]] const char* end() const { return m_end; }
    void moveTo(const char* position) { m_pos = position; }
    // A quote behind a backslash ends its string where a comma, brace or bracket follows, as in
    // "C:\temp\",
    void setBackslashMayEndString(bool enabled) { m_backslashMayEndString = enabled; }

    void skipSpace() {
        while (*m_pos == ' ' || *m_pos == '\n' || *m_pos == '\t' || *m_pos == '\r')
            ++m_pos;
    }
    // The next character behind blanks, 0 at the end of the text (or for a zero byte in it).
    char peek() {
        skipSpace();
        return *m_pos;
    }
    [[nodiscard]] bool atEnd() const { return m_pos >= m_end; }
    void advance() { ++m_pos; }

    // At an opening quote; leaves the position behind the closing one.
    Scan string(JsonToken& token);
    // Any value; containers are skipped whole and only checked for balanced brackets.
    Scan value(JsonToken& token);

private:
    Scan bareWord(JsonToken& token);
    Scan container(JsonToken& token);
    [[nodiscard]] bool endsAfter(const char* quote) const;

    const char* m_pos;
    const char* m_end;
    bool m_backslashMayEndString = false;
};

} // namespace trainscope::importers::kineto
