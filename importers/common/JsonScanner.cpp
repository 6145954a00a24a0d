#include "importers/common/JsonScanner.h"

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

} // namespace trainscope::importers
