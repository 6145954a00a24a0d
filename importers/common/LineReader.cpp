#include "importers/common/LineReader.h"

#include "importers/common/TextCleaning.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace trainscope::importers {

namespace {
constexpr std::size_t kBlock = std::size_t{256} << 10;
} // namespace

// A block of bytes; lines are views into it. What is left of a block when it runs out moves to its
// front, so the block grows to kMaxLine and one block more at most.
struct LineReader::Impl {
    std::unique_ptr<ByteStream> stream;
    std::vector<char> block;
    std::string cleaned;
    std::size_t begin = 0; // of the next line
    std::size_t searched = 0; // no line end before this
    std::size_t end = 0; // of the bytes read
    std::int64_t line = 0;
    bool wasCut = false;
    bool atEnd = false;
    bool hasEscapes = false;
    std::optional<Error> failure;

    void fill() {
        if (begin > 0) {
            std::memmove(block.data(), block.data() + begin, end - begin);
            end -= begin;
            searched -= begin;
            begin = 0;
        }
        if (block.size() < end + kBlock)
            block.resize(end + kBlock);
        const auto room = std::span(block).subspan(end);
        const auto count = stream->read(std::as_writable_bytes(room));
        if (!count.hasValue()) {
            failure = count.error();
            return;
        }
        atEnd = count.value() == 0;
        hasEscapes = std::memchr(block.data(), '\x1b', end + count.value()) != nullptr;
        end += count.value();
    }

    // The position of the next line end; reads on as needed. Absent at the end of the stream or at
    // a failure.
    std::optional<std::size_t> findLineEnd() {
        while (true) {
            const void* found = searched < end
                ? std::memchr(block.data() + searched, '\n', end - searched)
                : nullptr;
            if (found != nullptr)
                return static_cast<std::size_t>(static_cast<const char*>(found) - block.data());
            searched = end;
            if (end - begin > kMaxLine)
                dropMiddle();
            if (atEnd || failure)
                return std::nullopt;
            fill();
        }
    }

    // Keeps the first kMaxLine bytes of a line that is too long and forgets what follows.
    void dropMiddle() {
        wasCut = true;
        end = begin + kMaxLine;
        searched = end;
    }

    std::string_view take(std::size_t lineEnd, std::size_t next) {
        std::string_view text(block.data() + begin, lineEnd - begin);
        begin = next;
        searched = next;
        ++line;
        if (text.size() > kMaxLine) {
            text = text.substr(0, kMaxLine);
            wasCut = true;
        }
        if (text.ends_with('\r'))
            text.remove_suffix(1);
        if (!hasEscapes || text.find('\x1b') == std::string_view::npos)
            return text;
        cleaned = withoutEscapes(text);
        return cleaned;
    }
};

LineReader::LineReader(std::unique_ptr<ByteStream> stream)
    : m_impl(std::make_unique<Impl>()) {
    m_impl->stream = asUtf8(std::move(stream));
}

LineReader::~LineReader() = default;

Result<std::optional<std::string_view>> LineReader::next() {
    Impl& impl = *m_impl;
    impl.wasCut = false;
    if (const auto lineEnd = impl.findLineEnd())
        return std::optional(impl.take(*lineEnd, *lineEnd + 1));
    // The start of a line whose rest cannot be read is no line: its last number may be cut.
    if (impl.failure)
        return *impl.failure;
    if (impl.begin == impl.end)
        return std::optional<std::string_view>{};
    return std::optional(impl.take(impl.end, impl.end));
}

std::int64_t LineReader::lineNumber() const {
    return m_impl->line;
}
bool LineReader::lineWasCut() const {
    return m_impl->wasCut;
}
std::uint64_t LineReader::bytesConsumed() const {
    return m_impl->stream->bytesConsumed();
}

} // namespace trainscope::importers
