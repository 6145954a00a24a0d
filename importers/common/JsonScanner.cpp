#include "importers/common/JsonScanner.h"

#include "core/model/WholeNumber.h"
#include "importers/common/Number.h"
#include "importers/common/TextCleaning.h"

#include <array>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainscope::importers {

namespace {

#if defined(__SSE2__)
// The text and its padding are readable.
__m128i load(const char* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
#endif

// The first quote, backslash or control character from `p` on; the zero padding ends the search.
const char* nextSpecial(const char* p) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i lastControl = _mm_set1_epi8(0x1F);
    for (;; p += 16) {
        const __m128i text = load(p);
        const __m128i isControl = _mm_cmpeq_epi8(_mm_min_epu8(text, lastControl), text);
        const __m128i hits = _mm_or_si128(
            isControl, _mm_or_si128(_mm_cmpeq_epi8(text, quote), _mm_cmpeq_epi8(text, backslash)));
        if (const int mask = _mm_movemask_epi8(hits); mask != 0)
            return p + std::countr_zero(static_cast<unsigned>(mask));
    }
#else
    while (*p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20)
        ++p;
    return p;
#endif
}

// The first quote, bracket, brace or zero byte from `p` on.
const char* nextOfContainer(const char* p) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    // Brackets become braces by the bit that makes letters small.
    const __m128i small = _mm_set1_epi8(0x20);
    const __m128i open = _mm_set1_epi8('{');
    const __m128i close = _mm_set1_epi8('}');
    for (;; p += 16) {
        const __m128i text = load(p);
        const __m128i braces = _mm_or_si128(text, small);
        const __m128i hits = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(braces, open), _mm_cmpeq_epi8(braces, close)),
            _mm_or_si128(_mm_cmpeq_epi8(text, quote), _mm_cmpeq_epi8(text, _mm_setzero_si128())));
        if (const int mask = _mm_movemask_epi8(hits); mask != 0)
            return p + std::countr_zero(static_cast<unsigned>(mask));
    }
#else
    while (*p != '"' && *p != '[' && *p != ']' && *p != '{' && *p != '}' && *p != '\0')
        ++p;
    return p;
#endif
}

// Behind the digits, points and minus signs from `p` on.
const char* behindDigits(const char* p) {
#if defined(__SSE2__)
    // '-' to '9' moved to the lowest values.
    const __m128i first = _mm_set1_epi8('-');
    const __m128i last = _mm_set1_epi8('9' - '-');
    for (;; p += 16) {
        const __m128i text = _mm_sub_epi8(load(p), first);
        const __m128i inside = _mm_cmpeq_epi8(_mm_min_epu8(text, last), text);
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(inside));
        if (mask != 0xFFFFU)
            return p + std::countr_one(mask);
    }
#else
    while (*p >= '-' && *p <= '9')
        ++p;
    return p;
#endif
}

constexpr std::array<bool, 256> kEndsBareWord = [] {
    std::array<bool, 256> table{};
    for (const char c : {',', '}', ']', ' ', '\n', '\r', '\t', '"', ':', '{', '[', '\0'})
        table[static_cast<unsigned char>(c)] = true;
    return table;
}();

bool isBareWordEnd(char c) {
    return kEndsBareWord[static_cast<unsigned char>(c)];
}

bool isBareWordStart(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z');
}

} // namespace

bool JsonScanner::endsAfter(const char* quote) const {
    const char* p = quote + 1;
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        ++p;
    return *p == ',' || *p == '}' || *p == ']';
}

Scan JsonScanner::string(JsonToken& token) {
    const char* const begin = m_pos + 1;
    token.kind = TokenKind::String;
    token.isPlain = true;
    const char* p = begin;
    for (;;) {
        p = nextSpecial(p);
        if (p >= m_end)
            return p - begin > static_cast<std::ptrdiff_t>(kMaxString) ? Scan::Broken
                                                                       : Scan::NeedMore;
        if (*p == '"')
            break;
        token.isPlain = false;
        if (*p == '\\') {
            if (p + 1 >= m_end)
                return Scan::NeedMore;
            if (p[1] == '"' && m_backslashMayEndString && endsAfter(p + 1)) {
                ++p;
                break;
            }
            ++p;
        }
        ++p;
        if (p - begin > static_cast<std::ptrdiff_t>(kMaxString))
            return Scan::Broken;
    }
    token.text = std::string_view(begin, static_cast<std::size_t>(p - begin));
    m_pos = p + 1;
    return Scan::Ok;
}

Scan JsonScanner::bareWord(JsonToken& token) {
    const char* const begin = m_pos;
    if (!isBareWordStart(*begin))
        return Scan::Broken;
    const char* p = behindDigits(begin + 1);
    while (!isBareWordEnd(*p))
        ++p;
    if (p >= m_end)
        return Scan::NeedMore;
    const char first = *begin;
    const bool isWord = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    token.kind = isWord ? TokenKind::Literal : TokenKind::Number;
    token.isPlain = true;
    token.text = std::string_view(begin, static_cast<std::size_t>(p - begin));
    m_pos = p;
    return Scan::Ok;
}

Scan JsonScanner::container(JsonToken& token) {
    const char* const begin = m_pos;
    token.kind = *begin == '{' ? TokenKind::Object : TokenKind::Array;
    token.isPlain = true;
    constexpr int kMaxDepth = 64;
    std::uint64_t isObject = 0; // one bit a level, the innermost lowest
    int depth = 0;
    JsonToken inner;
    for (;;) {
        m_pos = nextOfContainer(m_pos);
        const char c = *m_pos;
        if (c == '"') {
            if (const Scan scan = string(inner); scan != Scan::Ok)
                return scan;
            continue;
        }
        if (c == '{' || c == '[') {
            if (++depth > kMaxDepth)
                return Scan::Broken;
            isObject = (isObject << 1U) | (c == '{' ? 1U : 0U);
        } else if (c == '}' || c == ']') {
            if (((isObject & 1U) != 0) != (c == '}'))
                return Scan::Broken;
            isObject >>= 1U;
            if (--depth == 0)
                break;
        } else {
            return m_pos >= m_end ? Scan::NeedMore : Scan::Broken;
        }
        ++m_pos;
    }
    ++m_pos;
    token.text = std::string_view(begin, static_cast<std::size_t>(m_pos - begin));
    return Scan::Ok;
}

Scan JsonScanner::value(JsonToken& token) {
    const char c = peek();
    if (c == '"')
        return string(token);
    if (c == '{' || c == '[')
        return container(token);
    if (c == '\0')
        return atEnd() ? Scan::NeedMore : Scan::Broken;
    return bareWord(token);
}

namespace {

std::optional<std::uint32_t> fourHexDigits(std::string_view text) {
    return text.size() < 4 ? std::nullopt : wholeNumber<std::uint32_t>(text.substr(0, 4), 16);
}

// `rest` begins behind "\u"; returns how many characters were used, 0: not an escape.
std::size_t appendUnicodeEscape(std::string_view rest, std::string& out) {
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const auto first = fourHexDigits(rest);
    if (!first)
        return 0;
    if (*first < 0xD800 || *first > 0xDFFF) {
        appendUtf8(out, *first);
        return 4;
    }
    if (*first < 0xDC00 && rest.substr(4, 2) == "\\u") {
        const auto second = fourHexDigits(rest.substr(6));
        if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
            appendUtf8(out, 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00));
            return 10;
        }
    }
    appendUtf8(out, kReplacement);
    return 4;
}

// The character for a one-letter escape, 0 if there is none.
char shortEscape(char letter) {
    switch (letter) {
    case '"':
    case '\\':
    case '/':
        return letter;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

bool isStrictNumber(std::string_view text) {
    double ignored = 0.0;
    if (text.empty() || (text.front() != '-' && (text.front() < '0' || text.front() > '9')))
        return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
    return error == std::errc{} && end == text.data() + text.size() && text.back() != '.'
        && text.find_first_of("nN") == std::string_view::npos;
}

// The members of a container once more, token by token; false where it is no JSON after all.
bool appendContainer(std::string_view text, std::string& out) {
    // The scanner needs its zero padding, which a view into the middle of a text does not have.
    std::string padded(text);
    padded.append(JsonScanner::kPadding, '\0');
    JsonScanner scanner(padded.data(), padded.data() + text.size());
    while (scanner.peek() != '\0') {
        const char c = *scanner.position();
        if (c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':') {
            if ((c == '}' || c == ']') && out.back() == ',')
                out.pop_back();
            out.push_back(c);
            scanner.advance();
            continue;
        }
        JsonToken token;
        // A number may end with the text here.
        if (scanner.value(token) != Scan::Ok)
            return false;
        appendJson(token, out);
    }
    return scanner.atEnd();
}

} // namespace

void appendJsonString(std::string_view text, std::string& out) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    out.push_back('"');
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (byte < 0x20) {
            out += "\\u00";
            out.push_back(kHex[byte >> 4U]);
            out.push_back(kHex[byte & 0x0FU]);
        } else {
            out.push_back(c);
        }
    }
    out.push_back('"');
}

void appendUnescaped(std::string_view escaped, std::string& out) {
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        if (escaped[i] != '\\' || i + 1 == escaped.size()) {
            out.push_back(escaped[i]);
            continue;
        }
        const char letter = escaped[i + 1];
        const std::size_t used
            = letter == 'u' ? appendUnicodeEscape(escaped.substr(i + 2), out) : std::size_t{0};
        if (used > 0) {
            i += 1 + used;
        } else if (const char c = shortEscape(letter); c != '\0') {
            out.push_back(c);
            ++i;
        } else {
            out.push_back('\\');
        }
    }
}

std::string_view plainText(const JsonToken& token, std::string& storage) {
    if (token.isPlain)
        return token.text;
    storage.clear();
    appendUnescaped(token.text, storage);
    return storage;
}

void appendJson(const JsonToken& token, std::string& out) {
    const std::size_t begin = out.size();
    std::string storage;
    switch (token.kind) {
    case TokenKind::String:
        if (token.isPlain)
            out.append(1, '"').append(token.text).append(1, '"');
        else
            appendJsonString(plainText(token, storage), out);
        return;
    case TokenKind::Number:
        out += isStrictNumber(token.text) ? token.text : std::string_view("null");
        return;
    case TokenKind::Literal:
        out += token.text == "true" || token.text == "false" ? token.text
                                                             : std::string_view("null");
        return;
    case TokenKind::Object:
    case TokenKind::Array:
        if (!appendContainer(token.text, out)) {
            out.resize(begin);
            out += "null";
        }
        return;
    case TokenKind::None:
        out += "null";
        return;
    }
}

std::optional<std::int64_t> microsecondsToNs(std::string_view text) {
    // Nearly all are digits with up to three decimals, which needs no wide arithmetic.
    constexpr std::size_t kSafeDigits = 15;
    std::int64_t value = 0;
    std::size_t i = 0;
    while (i < text.size() && i <= kSafeDigits + 1 && text[i] >= '0' && text[i] <= '9')
        value = value * 10 + (text[i++] - '0');
    if (i == 0 || i > kSafeDigits)
        return decimalToNs(text, 1000);
    if (i == text.size())
        return value * 1000;
    if (text[i] != '.' || text.size() - i > 4 || i + 1 == text.size())
        return decimalToNs(text, 1000);
    std::int64_t scale = 1000;
    for (++i; i < text.size(); ++i) {
        if (text[i] < '0' || text[i] > '9')
            return decimalToNs(text, 1000);
        value = value * 10 + (text[i] - '0');
        scale /= 10;
    }
    return value * scale;
}

std::optional<std::int64_t> integerOf(const JsonToken& token) {
    if (token.kind != TokenKind::Number && token.kind != TokenKind::String)
        return std::nullopt;
    if (const auto whole = wholeNumber<std::int64_t>(token.text))
        return whole;
    const auto number = parseNumber(token.text);
    return number ? wholeNumber<std::int64_t>(*number) : std::nullopt;
}

std::optional<double> numberOf(const JsonToken& token) {
    if (token.kind != TokenKind::Number && token.kind != TokenKind::String)
        return std::nullopt;
    return parseNumber(token.text);
}

} // namespace trainscope::importers
