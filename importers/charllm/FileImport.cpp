#include "importers/charllm/FileImport.h"

#include "importers/charllm/SampleReader.h"

#include <memory>
#include <utility>

namespace trainscope::importers::charllm {

namespace {

constexpr std::size_t kBatch = std::size_t{1} << 20; // samples held before they go to the sink
constexpr double kLimit32 = 4294967296.0;

class FileImport {
public:
    FileImport(const SourceTree& tree, const TelemetryFile& file, RunId run, Sink& sink,
        ImportReport& report, const FileProgress& progress)
        : m_tree(tree)
        , m_file(file)
        , m_run(run)
        , m_sink(sink)
        , m_report(report)
        , m_progress(progress) { }

    Result<FileOutcome> go() {
        auto stream = m_tree.open(m_file.path);
        if (!stream.hasValue()) {
            broken(stream.error());
            return std::move(m_outcome);
        }
        SampleReader reader(std::move(stream).value(), m_tree.displayPath(m_file.path), m_report);
        bool hasMore = true;
        while (hasMore) {
            const auto more = reader.readBlock(m_times, m_values);
            if (!more.hasValue())
                broken(more.error());
            hasMore = more.hasValue() && more.value();
            m_outcome.bytes = reader.bytesConsumed();
            if (!m_progress(m_outcome.bytes))
                return cancelled();
            if (const Status status = flush(!hasMore); !status.hasValue())
                return status.error();
        }
        reader.finish();
        m_outcome.found = reader.firstBadText();
        count();
        return std::move(m_outcome);
    }

private:
    void broken(const Error& error) {
        m_outcome.isBroken = true;
        m_report.warn(m_tree.displayPath(m_file.path), 0, error.message);
    }

    Status flush(bool isLast) {
        if (m_times.empty() || (!isLast && m_times.size() < kBatch))
            return {};
        m_outcome.statistics.add(m_times, m_values);
        if (!m_series) {
            if (const Status status = makeSeries(isLast); !status.hasValue())
                return status;
        }
        const Status status = m_sink.samples(*m_series, m_times, m_values);
        m_times.clear();
        m_values.clear();
        return status;
    }

    Status makeSeries(bool isComplete) {
        SeriesDescription description = m_file.description;
        if (description.counterBits > 0) {
            const bool isKnown = isComplete || m_outcome.isBroken;
            description.counterBits
                = isKnown ? widthOf(m_outcome.statistics) : widthOf(statisticsOfWholeFile());
        }
        auto series = m_sink.series(m_run, description);
        if (!series.hasValue())
            return series.error();
        m_series = series.value();
        return {};
    }

    // NVML's counters have 32 bits unless a value is larger; the node's have 64 unless they wrap
    // at 32.
    [[nodiscard]] int widthOf(const SampleStatistics& statistics) const {
        if (statistics.max() >= kLimit32)
            return 64;
        return statistics.hasWrapOf32Bits() ? 32 : m_file.description.counterBits;
    }

    // A counter's width must be known before its first sample is stored: a long file is read ahead.
    [[nodiscard]] SampleStatistics statisticsOfWholeFile() const {
        SampleStatistics statistics;
        auto stream = m_tree.open(m_file.path);
        if (!stream.hasValue())
            return statistics;
        ImportReport ignored;
        SampleReader reader(std::move(stream).value(), {}, ignored);
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (bool hasMore = true; hasMore && m_progress(m_outcome.bytes);) {
            const auto more = reader.readBlock(times, values);
            hasMore = more.hasValue() && more.value();
            statistics.add(times, values);
            times.clear();
            values.clear();
        }
        return statistics;
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
        m_report.warn(m_tree.displayPath(m_file.path), 0,
            "The time goes back " + std::to_string(statistics.decreasingTimes())
                + " times; the samples were put in order.");
    }

    const SourceTree& m_tree;
    const TelemetryFile& m_file;
    RunId m_run;
    Sink& m_sink;
    ImportReport& m_report;
    const FileProgress& m_progress;
    FileOutcome m_outcome;
    std::optional<SeriesId> m_series;
    std::vector<TimeNs> m_times;
    std::vector<double> m_values;
};

} // namespace

Result<FileOutcome> importFile(const SourceTree& tree, const TelemetryFile& file, RunId run,
    Sink& sink, ImportReport& report, const FileProgress& progress) {
    return FileImport(tree, file, run, sink, report, progress).go();
}

} // namespace trainscope::importers::charllm
