#include "core/analysis/statistics/StatisticsPipeline.h"

#include "core/model/Try.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace trainscope::analysis {

namespace {

// A distribution may be 32 MiB.
constexpr std::size_t kMostFinishing = 8;

struct Block {
    std::vector<TimeNs> times;
    std::vector<double> values;
};

} // namespace

StatisticsPipeline::StatisticsPipeline(
    WorkerPool& pool, const store::Store& store, TimeRange window, Take take)
    : m_store(store)
    , m_window(window)
    , m_finishing(pool, kMostFinishing,
          [take = std::move(take)](
              Finished&& done) { take(*done.series, std::move(done.statistics)); })
    , m_parts(pool, 0, [this](Part&& part) { append(std::move(part)); }) { }

Status StatisticsPipeline::add(const Series& series, const KeepGoing& keepGoing) {
    Edges edges;
    if (m_window != kAllTime) {
        ASSIGN_OR_RETURN(const auto found, windowEdges(m_store, series, m_window, keepGoing));
        edges = std::make_shared<const WindowEdges>(found);
    }
    bool stopped = false;
    bool any = false;
    const auto status = m_store.forEachSample(series.id, m_window, [&](auto times, auto values) {
        submit(series, edges, !any, times, values);
        any = true;
        stopped = keepGoing && !keepGoing();
        return !stopped;
    });
    if (status.hasValue() && !any)
        submit(series, edges, true, {}, {});
    return stopped ? Status(cancelled()) : status;
}

void StatisticsPipeline::submit(const Series& series, const Edges& edges, bool isFirst,
    std::span<const TimeNs> times, std::span<const double> values) {
    auto block = std::make_shared<const Block>(
        Block{{times.begin(), times.end()}, {values.begin(), values.end()}});
    m_parts.submit([&series, edges, isFirst, block = std::move(block)] {
        Part part{&series,
            SeriesFigures(series.description,
                edges ? std::optional(static_cast<double>(edges->gapLimit.ns)) : std::nullopt),
            edges};
        if (edges && isFirst)
            part.figures.enter(*edges);
        part.figures.add(block->times, block->values);
        return part;
    });
}

void StatisticsPipeline::append(Part&& part) {
    if (m_open && m_open->series == part.series) {
        m_open->figures.add(std::move(part.figures));
        return;
    }
    close();
    m_open = std::move(part);
}

void StatisticsPipeline::close() {
    if (!m_open)
        return;
    auto part = std::make_shared<Part>(std::move(*m_open));
    m_open.reset();
    m_finishing.submit([part] {
        if (part->edges)
            part->figures.leave(*part->edges);
        return Finished{part->series, std::move(part->figures).finished()};
    });
}

void StatisticsPipeline::finish() {
    m_parts.finish();
    close();
    m_finishing.finish();
}

} // namespace trainscope::analysis
