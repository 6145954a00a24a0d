#include "importers/kineto/JsonScanner.h"

#include <bit>
#include <cstring>

namespace trainscope::importers::kineto {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

// The high bit of each byte of `word` that equals `byte`; exact for the lowest one.
constexpr std::uint64_t bytesEqual(std::uint64_t word, std::uint8_t byte) {
    const std::uint64_t x = word ^ (kOnes * byte);
    return (x - kOnes) & ~x & kHighs;
}

constexpr std::uint64_t bytesBelowSpace(std::uint64_t word) {
    return (word - kOnes * 0x20U) & ~word & kHighs;
}

// The first quote, backslash or control character from `p` on; the zero padding ends the search.
const char* nextSpecial(const char* p) {
    if constexpr (std::endian::native == std::endian::little) {
        for (;; p += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, p, sizeof word);
            const std::uint64_t hits
                = bytesEqual(word, '"') | bytesEqual(word, '\\') | bytesBelowSpace(word);
            if (hits != 0)
                return p + std::countr_zero(hits) / 8;
        }
    }
    while (*p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20)
        ++p;
    return p;
}

bool isBareWordEnd(char c) {
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t'
        || c == '"' || c == ':' || c == '{' || c == '[' || c == '\0';
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
    const char* p = begin + 1;
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
        } else if (c == '\0') {
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

} // namespace trainscope::importers::kineto
