#include "importers/kineto/TracePiece.h"

#include "importers/kineto/Resync.h"

#include <algorithm>
#include <cstring>

namespace trainscope::importers::kineto {

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
        const auto got = m_stream.read(std::as_writable_bytes(
            std::span(piece.text.data() + piece.size, m_pieceSize - piece.size)));
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
    const std::size_t room = std::max(m_pieceSize, m_rest.size()) + JsonScanner::kPadding;
    if (piece.text.size() < room || piece.text.size() > 4 * room)
        piece.text = std::string(room, '\0');
    piece.isParsed = false;
    piece.size = m_rest.size();
    std::memcpy(piece.text.data(), m_rest.data(), m_rest.size());
    m_rest.clear();
    if (auto status = fill(piece); !status.hasValue())
        return status.error();
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
