#include "importers/charllm/FileTally.h"

#include <utility>

namespace trainscope::importers::charllm {

namespace {
constexpr std::int64_t kWarningsPerFile = SampleBlock::kMaxBad;
} // namespace

FileTally::FileTally(std::string file, ImportReport& report)
    : m_file(std::move(file))
    , m_report(report) { }

void FileTally::add(SampleBlock& block) {
    for (const BadLine& bad : block.bad) {
        if (m_firstBad.empty())
            m_firstBad = bad.excerpt;
        if (m_warned == kWarningsPerFile)
            break;
        ++m_warned;
        m_report.warn(m_file, m_lines + bad.line,
            std::string("Skipped: ") + bad.problem + " (\"" + bad.excerpt + "\").");
    }
    m_report.bytes += block.bytesRead;
    m_report.skipped += block.skipped;
    m_lines += block.lines;
    m_skipped += block.skipped;
    m_statistics.append(std::move(block.statistics), block.times);
}

void FileTally::finish() {
    if (m_skipped > kWarningsPerFile)
        m_report.warn(m_file, 0,
            std::to_string(m_skipped - kWarningsPerFile)
                + " more lines of this file were skipped.");
}

} // namespace trainscope::importers::charllm
