#include "importers/registry/Excerpts.h"

#include "core/model/Try.h"
#include "importers/common/Decompress.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::size_t kThinPart = std::size_t{64} << 10;
constexpr int kLeftOutOfCompressed = 15; // parts between two that are read

// Parts of a stream, cut at the ends of lines.
class ExcerptStream : public ByteStream {
public:
    explicit ExcerptStream(std::unique_ptr<ByteStream> inner)
        : m_inner(std::move(inner)) { }

    Result<std::size_t> read(std::span<std::byte> buffer) final {
        while (m_at == m_text.size()) {
            m_text.clear();
            m_at = 0;
            ASSIGN_OR_RETURN(const bool goesOn, nextPart(m_text));
            if (!goesOn && m_text.empty())
                return std::size_t{0};
        }
        const std::size_t count = std::min(buffer.size(), m_text.size() - m_at);
        std::memcpy(buffer.data(), m_text.data() + m_at, count);
        m_at += count;
        return count;
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const final { return m_inner->bytesConsumed(); }

protected:
    // False: there is none any more.
    virtual Result<bool> nextPart(std::string& text) = 0;

    ByteStream& inner() { return *m_inner; }
    static void dropBrokenLines(std::string& text, bool isBegin, bool isEnd) {
        if (!isEnd)
            text.erase(text.rfind('\n') + 1);
        if (!isBegin)
            text.erase(0, std::min(text.find('\n'), text.size()) + 1);
    }

private:
    std::unique_ptr<ByteStream> m_inner;
    std::string m_text;
    std::size_t m_at = 0;
};

// Those that begin at these bytes.
class PlacedParts final : public ExcerptStream {
public:
    PlacedParts(std::unique_ptr<ByteStream> inner, std::vector<std::uint64_t> begins,
        std::uint64_t bytes, std::uint64_t size)
        : ExcerptStream(std::move(inner))
        , m_begins(std::move(begins))
        , m_bytes(bytes)
        , m_size(size) { }

private:
    Result<bool> nextPart(std::string& text) override {
        while (m_next < m_begins.size()) {
            const std::uint64_t begin = std::max(m_begins[m_next++], m_position);
            const std::uint64_t end = std::min(begin + m_bytes, m_size);
            if (begin >= end)
                continue;
            ASSIGN_OR_RETURN(const auto passed, inner().skip(begin - m_position));
            static_cast<void>(passed);
            RETURN_IF_ERROR(readUpTo(inner(), static_cast<std::size_t>(end - begin), text));
            m_position = end;
            dropBrokenLines(text, begin == 0, end == m_size);
            return true;
        }
        return false;
    }

    std::vector<std::uint64_t> m_begins;
    std::uint64_t m_bytes;
    std::uint64_t m_size;
    std::uint64_t m_position = 0;
    std::size_t m_next = 0;
};

// The begin, one of sixteen, and the last.
class ThinnedParts final : public ExcerptStream {
public:
    ThinnedParts(std::unique_ptr<ByteStream> inner, std::uint64_t first)
        : ExcerptStream(std::move(inner))
        , m_first(static_cast<std::size_t>(first)) { }

private:
    Result<bool> nextPart(std::string& text) override {
        if (m_isAtEnd)
            return false;
        const bool isBegin = std::exchange(m_isBegin, false);
        std::string last;
        for (int i = 0; !isBegin && i < kLeftOutOfCompressed && !m_isAtEnd; ++i) {
            std::string next;
            RETURN_IF_ERROR(readUpTo(inner(), kThinPart, next));
            m_isAtEnd = next.size() < kThinPart;
            last = m_isAtEnd ? last + next : std::move(next);
        }
        const std::size_t wanted = isBegin ? m_first : kThinPart;
        if (!m_isAtEnd) {
            RETURN_IF_ERROR(readUpTo(inner(), wanted, text));
            m_isAtEnd = text.size() < wanted;
        }
        if (text.empty())
            text = std::move(last);
        dropBrokenLines(text, isBegin, m_isAtEnd);
        return true;
    }

    std::size_t m_first;
    bool m_isBegin = true;
    bool m_isAtEnd = false;
};

// Text in UTF-16 has line ends of two bytes, a document none that may be cut at.
bool isOfOnePiece(std::string_view head) {
    if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
        return true;
    const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string_view::npos || (head[first] != '{' && head[first] != '['))
        return false;
    const std::size_t line = head.find('\n', first);
    const std::size_t second
        = line == std::string_view::npos ? line : head.find_first_not_of(" \t\r\n", line);
    // JSON Lines: an object on each.
    return second == std::string_view::npos || head[second] != '{' || head[line - 1] != '}';
}

} // namespace

Excerpts::Excerpts(const SourceTree& inner, Parts parts)
    : m_inner(inner)
    , m_parts(std::move(parts)) { }

const std::vector<SourceFile>& Excerpts::files() const {
    return m_inner.files();
}

Result<std::unique_ptr<ByteStream>> Excerpts::openRaw(const std::string& path) const {
    constexpr std::size_t kLook = std::size_t{64} << 10;
    const std::uint64_t size = m_inner.sizeOf(path);
    if (size <= m_parts.bytes * (m_parts.places.size() + 1))
        return m_inner.openRaw(path);
    ASSIGN_OR_RETURN(const auto head, readHead(m_inner, path, kLook));
    if (isOfOnePiece(head))
        return m_inner.openRaw(path);
    std::string magic;
    ASSIGN_OR_RETURN(const auto raw, m_inner.openRaw(path));
    RETURN_IF_ERROR(readUpTo(*raw, kMagicBytes, magic));
    ASSIGN_OR_RETURN(auto plain, m_inner.open(path));
    if (compressionOf(magic) != Compression::None)
        return std::unique_ptr<ByteStream>(
            std::make_unique<ThinnedParts>(std::move(plain), m_parts.bytes));
    std::vector<std::uint64_t> begins{0};
    for (const double place : m_parts.places) {
        const auto middle = static_cast<std::uint64_t>(place * static_cast<double>(size));
        const std::uint64_t begin = middle - std::min(middle, m_parts.bytes / 2);
        begins.push_back(std::min(begin, size - m_parts.bytes));
    }
    return std::unique_ptr<ByteStream>(
        std::make_unique<PlacedParts>(std::move(plain), std::move(begins), m_parts.bytes, size));
}

std::string Excerpts::displayPath(const std::string& path) const {
    return m_inner.displayPath(path);
}

Allowance Excerpts::allowanceOf(const std::string& path) const {
    return m_inner.allowanceOf(path);
}

} // namespace trainscope::importers
