#include "importers/charllm/FileImport.h"

#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"

#include <utility>

namespace trainscope::importers::charllm {

namespace {
constexpr std::int64_t kWarningsPerFile = SampleBlock::kMaxBad;

constexpr double kLimit32 = 4294967296.0;

// Reads the blocks with jobs and hands them to `take` in order, until it says no; between blocks
// `proceed` is asked. Fails where the stream does.
Status readBlocks(LineBlocks& blocks, const std::function<bool()>& proceed,
    const std::function<bool(SampleBlock&&)>& take) {
    bool goesOn = true;
    OrderedJobs<SampleBlock> jobs(WorkerPool::shared(), 0,
        [&](SampleBlock&& block) { goesOn = goesOn && take(std::move(block)); });
    while (goesOn && proceed()) {
        auto next = blocks.next();
        const bool isLast = !next.hasValue() || !next.value();
        if (isLast) {
            jobs.finish();
            return next.hasValue() ? Status() : next.error();
        }
        const auto block = std::make_shared<LineBlock>(std::move(*next.value()));
        jobs.submit([block] { return readSamples(*block, false); });
    }
    jobs.abandon();
    return {};
}

class FileImport {
public:
    FileImport(const SourceTree& tree, const TelemetryFile& file, RunId run, Sink& sink,
        ImportReport& report, const FileProgress& progress)
        : m_tree(tree)
        , m_file(file)
        , m_run(run)
        , m_sink(sink)
        , m_report(report)
        , m_progress(progress)
        , m_tally(tree.displayPath(file.path), report) { }

    Result<FileOutcome> go(FileStart start) {
        m_outcome.bytes = start.bytesConsumed;
        if (proceed() && start.block)
            (void)take(std::move(*start.block));
        if (start.rest && !m_isCancelled && m_status.hasValue()) {
            const Status read = readBlocks(
                *start.rest, [this] { return proceed(); },
                [this](SampleBlock&& block) { return take(std::move(block)); });
            m_outcome.bytes = start.rest->bytesConsumed();
            if (!read.hasValue())
                start.failure = read.error();
        }
        if (m_isCancelled)
            return cancelled();
        if (start.failure)
            broken(*start.failure);
        if (m_status.hasValue())
            m_status = settleWidth();
        if (!m_status.hasValue())
            return m_status.error();
        m_tally.finish();
        m_outcome.statistics = m_tally.statistics();
        m_outcome.found = m_tally.firstBadText();
        count();
        return std::move(m_outcome);
    }

private:
    void broken(const Error& error) {
        m_outcome.isBroken = true;
        m_report.lost(m_tree.displayPath(m_file.path), 0, error.message);
    }

    bool proceed() {
        m_isCancelled = m_isCancelled || !m_progress(m_outcome.bytes);
        return !m_isCancelled;
    }

    bool take(SampleBlock&& block) {
        m_outcome.bytes = block.bytesConsumed;
        m_tally.add(block);
        if (!block.times.empty())
            m_status = hand(block);
        return m_status.hasValue() && proceed();
    }

    Status hand(const SampleBlock& block) {
        if (!m_series) {
            ASSIGN_OR_RETURN(const auto series, m_sink.series(m_run, m_file.description));
            m_series = series;
        }
        return m_sink.samples(*m_series, block.times, block.values);
    }

    // NVML's counters have 32 bits unless a value is larger; the node's have 64 unless they wrap
    // at 32.
    Status settleWidth() {
        const int usual = m_file.description.counterBits;
        const SampleStatistics& statistics = m_tally.statistics();
        int bits = statistics.hasWrapOf32Bits() ? 32 : usual;
        if (statistics.max() >= kLimit32)
            bits = 64;
        if (!m_series || usual == 0 || bits == usual)
            return {};
        return m_sink.counterBits(*m_series, bits);
    }

    void count() {
        const SampleStatistics& statistics = m_outcome.statistics;
        m_report.rows += statistics.rows();
        m_report.samples += statistics.rows();
        m_report.missing += statistics.missing();
        m_report.gaps += statistics.gaps();
        if (m_file.description.metric.kind == MetricKind::Counter)
            m_report.counterFalls += statistics.falls();
        if (statistics.rows() > 0)
            ++m_report.counts["files of " + m_file.description.metric.name];
        if (statistics.repeatedTimes() > 0)
            m_report.counts["repeated time stamps"] += statistics.repeatedTimes();
        if (statistics.decreasingTimes() == 0)
            return;
        m_report.counts["decreasing time stamps"] += statistics.decreasingTimes();
        m_report.remark(m_tree.displayPath(m_file.path), 0,
            "The time goes back " + std::to_string(statistics.decreasingTimes())
                + " times; the samples were put in order.");
    }

    const SourceTree& m_tree;
    const TelemetryFile& m_file;
    RunId m_run;
    Sink& m_sink;
    ImportReport& m_report;
    const FileProgress& m_progress;
    FileTally m_tally;
    FileOutcome m_outcome;
    std::optional<SeriesId> m_series;
    Status m_status;
    bool m_isCancelled = false;
};

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
        m_report.lost(m_file, m_lines + bad.line,
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
        m_report.lost(m_file, 0,
            std::to_string(m_skipped - kWarningsPerFile)
                + " more lines of this file were skipped.");
}

FileStart startFile(const SourceTree& tree, const std::string& path) {
    FileStart start;
    auto stream = tree.open(path);
    if (!stream.hasValue()) {
        start.failure = stream.error();
        return start;
    }
    auto blocks
        = std::make_unique<LineBlocks>(std::move(stream).value(), SampleBlock::kLongestLine);
    auto first = blocks->next();
    start.bytesConsumed = blocks->bytesConsumed();
    if (!first.hasValue())
        start.failure = first.error();
    else if (first.value())
        start.block = readSamples(*first.value(), true);
    if (!start.failure && !blocks->isAtEnd())
        start.rest = std::move(blocks);
    return start;
}

Result<FileOutcome> importFile(const SourceTree& tree, const TelemetryFile& file, FileStart start,
    RunId run, Sink& sink, ImportReport& report, const FileProgress& progress) {
    return FileImport(tree, file, run, sink, report, progress).go(std::move(start));
}

} // namespace trainscope::importers::charllm
