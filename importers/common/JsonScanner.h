#pragma once
// A tolerant pull scanner for JSON text that lies in memory and may end anywhere. It copies
// nothing: tokens are views into the text. Tolerated: control characters and invalid UTF-8 in
// strings, unknown escapes, NaN and Infinity, trailing commas (left to the caller). kPadding
// readable zero bytes must follow the text.
//
// It stands here in place of simdjson because traces are cut short and damaged, and because it is
// as fast. Measured with simdjson 3.0.1 (g++ 12 -O3, one thread) on published traces of 54, 15 and
// 14 MB: text to records at 650-950, 740-880 and 2000 MB/s, of which the tokens alone take
// 830-1100, 810-1070 and 1330-2150 MB/s; simdjson's on-demand tokens alone run at 390-460, 600-1110
// and 890-1750 MB/s. On the same traces simdjson gives no event at all where a name holds a control
// character or invalid UTF-8 or where the end is missing, and at best those before the damage where
// bytes are missing or NaN stands for a number; read from here no more than one event is lost.
// simdjson also needs the whole document in memory, which here is a few pieces of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

enum class Scan {
    Ok,
    NeedMore, // the text ended inside the token
    Broken, // not JSON here
};

enum class TokenKind : std::uint8_t { None, String, Number, Literal, Object, Array };

struct JsonToken {
    TokenKind kind = TokenKind::None;
    bool isPlain = true; // a string without backslashes and control characters
    std::string_view text; // a string's is without its quotes, escapes as written

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

// Values of scanned JSON tokens: unescaped text, members written again as strict, compact JSON,
// whole nanoseconds from decimal microseconds, and numbers.

// The characters a JSON string stands for. A backslash that begins no valid escape stays a
// backslash.
void appendUnescaped(std::string_view escaped, std::string& out);

// The text of a token; `storage` is used where it has to be unescaped.
std::string_view plainText(const JsonToken& token, std::string& storage);

// Strict JSON: control characters and quotes are escaped, other bytes pass as they are.
void appendJsonString(std::string_view text, std::string& out);

// The token as strict JSON without blanks; what has no place in JSON (NaN) becomes null.
void appendJson(const JsonToken& token, std::string& out);

// Decimal µs as whole ns, exact; digits below 1 ns are truncated. Absent for anything that is not a
// finite number.
std::optional<std::int64_t> microsecondsToNs(std::string_view text);

// A number, or a string that holds one; a fraction is cut off.
std::optional<std::int64_t> integerOf(const JsonToken& token);
std::optional<double> numberOf(const JsonToken& token);

} // namespace trainscope::importers
