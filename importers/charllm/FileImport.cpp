#include "importers/charllm/FileImport.h"

#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "importers/charllm/RunPlan.h"
#include "importers/common/TextCleaning.h"

#include <cstring>

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

SampleBlock readSamples(const LineBlock& block, bool isFileStart) {
    return Reader(block, isFileStart).read();
}

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
