#include "importers/charllm/SampleBlock.h"

#include "importers/charllm/TelemetryLine.h"
#include "importers/common/TextCleaning.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace trainscope::importers::charllm {

namespace {

constexpr std::size_t kExcerpt = 40;
constexpr std::size_t kUsualLine = 24; // bytes, for the first guess at the number of samples

std::string excerpt(std::string_view text) {
    std::string out(text.substr(0, kExcerpt));
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.size() > kExcerpt ? out + "..." : out;
}

class Reader {
public:
    Reader(const LineBlock& block, bool isFileStart)
        : m_block(block)
        , m_isFileStart(isFileStart) { }

    SampleBlock read() {
        m_out.bytesRead = m_block.bytesRead;
        m_out.bytesConsumed = m_block.bytesConsumed;
        m_out.times.reserve(m_block.size / kUsualLine);
        m_out.values.reserve(m_block.size / kUsualLine);
        const char* p = m_block.bytes.get();
        const char* end = p + m_block.size;
        while (p < end) {
            p = readPlainLines(p, end);
            if (p < end)
                p = readOddLine(p, end);
        }
        m_out.statistics = SampleStatistics::of(m_out.times, m_out.values);
        return std::move(m_out);
    }

private:
    // Up to the first line of another form. Samples go through a small buffer: checking the room in
    // two vectors for every line costs more than reading it.
    const char* readPlainLines(const char* p, const char* end) {
        constexpr std::size_t kBatch = 128;
        std::array<TimeNs, kBatch> times;
        std::array<double, kBatch> values;
        std::size_t count = kBatch;
        while (count == kBatch && p < end) {
            for (count = 0; count < kBatch && p < end; ++count) {
                PlainLine line;
                const char* next = parsePlainLine(p, end, line);
                if (next == nullptr)
                    break;
                times[count] = {line.ns};
                values[count] = line.value;
                p = next;
            }
            const auto size = static_cast<std::ptrdiff_t>(count);
            m_out.times.insert(m_out.times.end(), times.begin(), times.begin() + size);
            m_out.values.insert(m_out.values.end(), values.begin(), values.begin() + size);
            m_out.lines += size;
        }
        return p;
    }

    const char* readOddLine(const char* p, const char* end) {
        const auto* lineEnd
            = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        const std::string_view text(p, static_cast<std::size_t>(lineEnd - p));
        ++m_out.lines;
        if (m_block.isCut || text.size() > SampleBlock::kLongestLine)
            skip(text, "the line is too long");
        else if (text.find('\x1b') != std::string_view::npos)
            take(text, parseTelemetryLine(withoutEscapes(text)));
        else
            take(text, parseTelemetryLine(text));
        return lineEnd + 1;
    }

    void take(std::string_view text, const TelemetryLine& line) {
        switch (line.kind) {
        case LineKind::Sample:
            return push(line.ns, line.value);
        case LineKind::Missing:
            return push(line.ns, std::numeric_limits<double>::quiet_NaN());
        case LineKind::Header:
            if (!m_isFileStart || m_out.lines > 1)
                skip(text, line.problem);
            return;
        case LineKind::Bad:
            return skip(text, line.problem);
        case LineKind::Blank:
            return;
        }
    }

    void push(std::int64_t ns, double value) {
        m_out.times.push_back({ns});
        m_out.values.push_back(value);
    }

    void skip(std::string_view text, const char* problem) {
        ++m_out.skipped;
        if (m_out.bad.size() < SampleBlock::kMaxBad)
            m_out.bad.push_back({m_out.lines, problem, excerpt(text)});
    }

    const LineBlock& m_block;
    bool m_isFileStart;
    SampleBlock m_out;
};

} // namespace

SampleBlock readSamples(const LineBlock& block, bool isFileStart) {
    return Reader(block, isFileStart).read();
}

} // namespace trainscope::importers::charllm
