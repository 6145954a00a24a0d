#pragma once
// The statistics of many series, on all processors: the calling thread reads the samples in blocks,
// jobs make figures of the blocks, and these are added up in order, so that every bit is the same
// whatever the number of threads. Holds a few blocks per thread and the distributions of a few
// series. One thread; calls back on it.

#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/parallel/OrderedJobs.h"

#include <functional>
#include <memory>

namespace trainscope::analysis {

class StatisticsPipeline {
public:
    // In the order of add().
    using Take = std::function<void(const Series&, SeriesStatistics&&)>;

    // Counts the samples in the window, and what holds at its ends.
    StatisticsPipeline(WorkerPool& pool, const store::Store& store, TimeRange window, Take take);

    // Reads a series, which must outlive the pipeline. keepGoing is asked for every block.
    Status add(const Series& series, const KeepGoing& keepGoing);
    // Delivers the series that are still under way.
    void finish();

private:
    using Edges = std::shared_ptr<const WindowEdges>; // none: all time
    struct Part {
        const Series* series;
        SeriesFigures figures;
        Edges edges;
    };
    struct Finished {
        const Series* series;
        SeriesStatistics statistics;
    };

    void submit(const Series& series, const Edges& edges, bool isFirst,
        std::span<const TimeNs> times, std::span<const double> values);
    void append(Part&& part);
    void close();

    const store::Store& m_store;
    TimeRange m_window;
    std::optional<Part> m_open; // the sum of a series' parts so far
    OrderedJobs<Finished> m_finishing;
    OrderedJobs<Part> m_parts;
};

} // namespace trainscope::analysis
