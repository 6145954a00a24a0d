#include "importers/kineto/TracePiece.h"

#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace trainscope::importers::kineto {

namespace {

constexpr std::ptrdiff_t kLookahead = 512;
constexpr std::size_t kFirstRoom = std::size_t{64} << 10; // for the text of a piece

constexpr std::array<std::string_view, 11> kEventKeys{
    "ph", "name", "cat", "pid", "tid", "ts", "dur", "id", "args", "s", "bp"};
constexpr std::array<std::string_view, 7> kMemberKeys{"traceEvents", "baseTimeNanoseconds",
    "distributedInfo", "deviceProperties", "traceName", "displayTimeUnit", "schemaVersion"};

bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

const char* skipBlanks(const char* p, const char* end) {
    while (p < end && isBlank(*p))
        ++p;
    return p;
}

// True if `p` stands at "key" and a colon, with key one of `keys`.
template <typename Keys>
bool isKey(const char* p, const char* end, const Keys& keys) {
    if (p >= end || *p != '"')
        return false;
    const char* const close = std::find(p + 1, std::min(end, p + 40), '"');
    if (close == end || *close != '"')
        return false;
    const std::string_view key(p + 1, static_cast<std::size_t>(close - p - 1));
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
        return false;
    const char* const colon = skipBlanks(close + 1, end);
    return colon < end && *colon == ':';
}

bool isMemberValue(const char* brace, const char* begin) {
    const char* p = brace;
    while (p > begin && isBlank(p[-1]))
        --p;
    return p > begin && p[-1] == ':';
}

} // namespace

ResyncPoint findResync(const char* from, const char* end, const char* begin, bool isLastText) {
    for (const char* p = from; p < end; ++p) {
        if (*p != '{' && *p != '"')
            continue;
        if (!isLastText && end - p < kLookahead)
            return {ResyncPoint::Kind::None, p};
        const char* const limit = std::min(end, p + kLookahead);
        if (*p == '"' && isKey(p, limit, kMemberKeys))
            return {ResyncPoint::Kind::Member, p};
        if (*p == '{' && !isMemberValue(p, begin)
            && isKey(skipBlanks(p + 1, limit), limit, kEventKeys))
            return {ResyncPoint::Kind::Event, p};
    }
    return {ResyncPoint::Kind::None, end};
}

const char* lastEventStart(const char* begin, const char* end) {
    for (const char* p = end; p-- > begin;) {
        if (*p != '{')
            continue;
        const char* comma = p;
        while (comma > begin && isBlank(comma[-1]))
            --comma;
        if (comma == begin || comma[-1] != ',')
            continue;
        --comma;
        while (comma > begin && isBlank(comma[-1]))
            --comma;
        if (comma > begin && comma[-1] == '}' && isKey(skipBlanks(p + 1, end), end, kEventKeys))
            return p;
    }
    return nullptr;
}

void TracePiece::parse() {
    parser.parse(text.data(), 0, text.data() + size, batch);
    lines = countLines(text.data(), text.data() + size);
    isParsed = true;
}

std::int64_t countLines(const char* begin, const char* end) {
    // Counting in bytes lets the compiler take many at a time.
    constexpr std::ptrdiff_t kBlock = 128;
    std::int64_t lines = 0;
    while (begin < end) {
        const char* const stop = begin + std::min(kBlock, end - begin);
        std::uint8_t count = 0;
        for (; begin < stop; ++begin)
            count = static_cast<std::uint8_t>(count + (*begin == '\n' ? 1 : 0));
        lines += count;
    }
    return lines;
}

Status PieceReader::fill(TracePiece& piece) {
    while (!m_isAtEnd && piece.size < m_pieceSize) {
        if (piece.size + JsonScanner::kPadding == piece.text.size())
            piece.text.resize(std::min(2 * piece.size, m_pieceSize) + JsonScanner::kPadding);
        const std::size_t room = std::min(m_pieceSize, piece.text.size() - JsonScanner::kPadding);
        const auto got = m_stream.read(
            std::as_writable_bytes(std::span(piece.text.data() + piece.size, room - piece.size)));
        if (!got.hasValue() && m_bytes == 0)
            return got.error();
        if (!got.hasValue())
            m_problem = got.error().message;
        m_isAtEnd = !got.hasValue() || got.value() == 0;
        piece.size += got.valueOr(0);
        m_bytes += got.valueOr(0);
    }
    return {};
}

Result<bool> PieceReader::read(TracePiece& piece) {
    // Short traces cost what they hold: the room for more comes with more.
    const std::size_t least
        = std::max(std::min(m_pieceSize, kFirstRoom), m_rest.size()) + JsonScanner::kPadding;
    const std::size_t most = std::max(m_pieceSize, m_rest.size()) + JsonScanner::kPadding;
    if (piece.text.size() < least || piece.text.size() > 4 * most)
        piece.text = std::string(least, '\0');
    piece.isParsed = false;
    piece.size = m_rest.size();
    std::memcpy(piece.text.data(), m_rest.data(), m_rest.size());
    m_rest.clear();
    RETURN_IF_ERROR(fill(piece));
    char* const begin = piece.text.data();
    if (!m_isAtEnd) {
        constexpr std::size_t kSearch = std::size_t{128} << 10;
        const char* const end = begin + piece.size;
        std::memset(begin + piece.size, 0, JsonScanner::kPadding);
        const char* const cut
            = lastEventStart(begin + piece.size - std::min(piece.size, kSearch), end);
        if (cut != nullptr) {
            m_rest.assign(cut, end);
            piece.size = static_cast<std::size_t>(cut - begin);
        }
    }
    std::memset(begin + piece.size, 0, JsonScanner::kPadding);
    return piece.size > 0;
}

} // namespace trainscope::importers::kineto
