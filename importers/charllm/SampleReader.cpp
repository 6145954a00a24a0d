#include "importers/charllm/SampleReader.h"

#include "importers/charllm/PlainLine.h"
#include "importers/common/TextCleaning.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace trainscope::importers::charllm {

namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::size_t kMaxLine = std::size_t{64} << 10;
constexpr std::int64_t kWarningsPerFile = 5;
constexpr std::size_t kExcerpt = 40;

std::string excerpt(std::string_view text) {
    std::string out(text.substr(0, kExcerpt));
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.size() > kExcerpt ? out + "..." : out;
}

} // namespace

SampleReader::SampleReader(
    std::unique_ptr<ByteStream> stream, std::string file, ImportReport& report)
    : m_stream(asUtf8(std::move(stream)))
    , m_file(std::move(file))
    , m_report(report)
    , m_block(kMaxLine + kBlock) { }

Result<bool> SampleReader::readBlock(std::vector<TimeNs>& times, std::vector<double>& values) {
    if (m_atEnd)
        return false;
    const auto count = m_stream->read(std::as_writable_bytes(std::span(m_block).subspan(m_size)));
    if (!count.hasValue())
        return count.error();
    m_report.bytes += count.value();
    if (count.value() == 0) {
        m_atEnd = true;
        if (m_size > 0 || m_isTooLong)
            readOddLine({m_block.data(), m_size}, times, values);
        m_size = 0;
        return true;
    }
    const std::size_t fresh = m_size;
    m_size += count.value();
    const void* last = memrchr(m_block.data() + fresh, '\n', m_size - fresh);
    if (last == nullptr) {
        keepRest(0);
        return true;
    }
    const auto lines
        = static_cast<std::size_t>(static_cast<const char*>(last) - m_block.data()) + 1;
    readLines(m_block.data(), m_block.data() + lines, times, values);
    keepRest(lines);
    return true;
}

// A line that does not fit is given up; only its number is still counted.
void SampleReader::keepRest(std::size_t from) {
    std::memmove(m_block.data(), m_block.data() + from, m_size - from);
    m_size -= from;
    if (m_size <= kMaxLine)
        return;
    m_isTooLong = true;
    m_size = kExcerpt + 1;
}

void SampleReader::readLines(
    const char* begin, const char* end, std::vector<TimeNs>& times, std::vector<double>& values) {
    PlainLine line;
    while (begin < end) {
        if (!m_isTooLong) {
            if (const char* next = parsePlainLine(begin, end, line)) {
                ++m_line;
                times.push_back({line.ns});
                values.push_back(line.value);
                begin = next;
                continue;
            }
        }
        const auto* lineEnd = static_cast<const char*>(
            std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
        readOddLine({begin, static_cast<std::size_t>(lineEnd - begin)}, times, values);
        begin = lineEnd + 1;
    }
}

void SampleReader::readOddLine(
    std::string_view text, std::vector<TimeNs>& times, std::vector<double>& values) {
    ++m_line;
    if (std::exchange(m_isTooLong, false)) {
        skip(text, "the line is too long");
        return;
    }
    const bool hasEscapes = text.find('\x1b') != std::string_view::npos;
    const TelemetryLine line
        = hasEscapes ? parseTelemetryLine(withoutEscapes(text)) : parseTelemetryLine(text);
    switch (line.kind) {
    case LineKind::Sample:
    case LineKind::Missing:
        times.push_back({line.ns});
        values.push_back(
            line.kind == LineKind::Sample ? line.value : std::numeric_limits<double>::quiet_NaN());
        break;
    case LineKind::Header:
        if (m_line > 1)
            skip(text, line.problem);
        break;
    case LineKind::Bad:
        skip(text, line.problem);
        break;
    case LineKind::Blank:
        break;
    }
}

void SampleReader::skip(std::string_view text, const char* problem) {
    ++m_report.skipped;
    if (m_firstBad.empty())
        m_firstBad = excerpt(text);
    if (++m_skipped <= kWarningsPerFile)
        m_report.warn(
            m_file, m_line, std::string("Skipped: ") + problem + " (\"" + excerpt(text) + "\").");
}

void SampleReader::finish() {
    if (m_skipped > kWarningsPerFile)
        m_report.warn(m_file, 0,
            std::to_string(m_skipped - kWarningsPerFile)
                + " more lines of this file were skipped.");
}

} // namespace trainscope::importers::charllm
