#include "importers/trainlog/LogLines.h"

#include "importers/common/TextCleaning.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kFirstRoom = std::size_t{64} << 10; // doubled for longer lines
constexpr std::size_t kReadBlock = std::size_t{256} << 10;
constexpr std::size_t kReadRoom = LogLines::kLongest + kReadBlock;

// End of the line, `text.size()` for the last one.
std::size_t endOfLine(std::string_view text, std::size_t from) {
    const char* begin = text.data() + from;
    const std::size_t size = text.size() - from;
    const auto* feed = static_cast<const char*>(std::memchr(begin, '\n', size));
    const std::size_t within = feed == nullptr ? size : static_cast<std::size_t>(feed - begin);
    const auto* carriage = static_cast<const char*>(std::memchr(begin, '\r', within));
    return from + (carriage == nullptr ? within : static_cast<std::size_t>(carriage - begin));
}

} // namespace

LogLines::LogLines(std::unique_ptr<ByteStream> stream)
    : m_stream(asUtf8(std::move(stream)))
    , m_bytes(kFirstRoom) { }

Result<std::optional<std::string_view>> LogLines::next() {
    std::string_view line;
    while (!takeLine(line)) {
        if (m_atEnd && m_begin == m_end)
            return std::optional<std::string_view>{};
        // The start of a line whose rest cannot be read is none: its last number may be cut.
        if (m_failure)
            return *m_failure;
        fill();
    }
    if (line.find('\x1b') == std::string_view::npos)
        return std::optional(line);
    m_cleaned = withoutEscapes(line);
    return std::optional<std::string_view>(m_cleaned);
}

// False where more must be read first.
bool LogLines::takeLine(std::string_view& line) {
    while (true) {
        const std::string_view text(m_bytes.data() + m_begin, m_end - m_begin);
        const std::size_t end = endOfLine(text, m_looked);
        m_looked = end;
        const bool isWhole = end < text.size();
        const bool isCut = !isWhole && text.size() >= kLongest;
        if (!isWhole && !isCut && !(m_atEnd && !text.empty()))
            return false;
        if (std::exchange(m_endsLine, !isWhole || text[end] == '\n'))
            ++m_line;
        if (isCut)
            m_endsLine = false;
        line = text.substr(0, std::min(end, kLongest));
        m_begin += isWhole ? end + 1 : end;
        m_looked = 0;
        m_wasCut = isCut;
        if (!std::exchange(m_skipping, isCut))
            return true;
    }
}

void LogLines::fill() {
    if (m_begin > 0) {
        std::memmove(m_bytes.data(), m_bytes.data() + m_begin, m_end - m_begin);
        m_end -= m_begin;
        m_begin = 0;
    }
    if (m_end == m_bytes.size())
        m_bytes.resize(std::min(2 * m_bytes.size(), kReadRoom));
    const auto room
        = std::span(m_bytes.data() + m_end, std::min(m_bytes.size() - m_end, kReadBlock));
    const auto count = m_stream->read(std::as_writable_bytes(room));
    if (!count.hasValue()) {
        m_failure = count.error();
        return;
    }
    m_atEnd = count.value() == 0;
    m_end += count.value();
}

} // namespace trainscope::importers::trainlog
