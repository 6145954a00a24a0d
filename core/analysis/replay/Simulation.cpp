#include "core/analysis/replay/Simulation.h"

#include "core/analysis/statistics/Means.h"

namespace trainscope::analysis {

namespace {

class GraphRun {
public:
    GraphRun(const StepGraph& graph, const StepCosts& costs, StepTimes times)
        : m_graph(graph)
        , m_costs(costs)
        , m_groupStart(graph.groups.size(), kNotKnown)
        , m_times(std::move(times)) {
        m_times.start.resize(graph.operations.size());
        m_times.end.resize(graph.operations.size());
    }

    StepTimes run() {
        // As pointers, which writing of times does not make the compiler read again.
        const std::int64_t* const duration = m_costs.duration.data();
        const std::int64_t* const delay = m_costs.delay.data();
        std::int64_t* const start = m_times.start.data();
        std::int64_t* const end = m_times.end.data();
        const LateEnd* late = m_graph.lateEnds.data();
        const LateEnd* const lastLate = late + m_graph.lateEnds.size();
        const auto count = static_cast<std::uint32_t>(m_graph.operations.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            for (; late != lastLate && late->ready < i; ++late)
                finish(*late);
            start[i] = latestOf<false>(i, 0) + delay[i];
            end[i] = start[i] + duration[i];
        }
        for (; late != lastLate; ++late)
            finish(*late);
        return std::move(m_times);
    }

private:
    static constexpr std::int64_t kNotKnown = std::numeric_limits<std::int64_t>::min();

    template <bool ToEnd>
    [[nodiscard]] std::int64_t latestOf(std::uint32_t operation, std::int64_t at) const {
        const StepEdge* const edges = m_graph.edges.data();
        const std::int32_t* const lag = m_costs.lag.data();
        const std::int64_t* const start = m_times.start.data();
        const std::int64_t* const end = m_times.end.data();
        const std::uint32_t last = m_graph.firstEdge[operation + 1];
        for (std::uint32_t i = m_graph.firstEdge[operation]; i < last; ++i) {
            const StepEdge& edge = edges[i];
            if (edge.toEnd == ToEnd)
                at = std::max(at, (edge.fromStart ? start : end)[edge.from] + lag[i]);
        }
        return at;
    }

    void finish(const LateEnd& late) {
        const std::int64_t begun
            = late.group == kNone32 ? m_times.start[late.operation] : startOf(late.group);
        m_times.end[late.operation]
            = latestOf<true>(late.operation, begun) + m_costs.duration[late.operation];
    }

    std::int64_t startOf(std::uint32_t group) {
        std::int64_t& last = m_groupStart[group];
        if (last == kNotKnown) {
            for (const std::uint32_t member : m_graph.membersOf(group))
                last = std::max(last, m_times.start[member]);
        }
        return last;
    }

    const StepGraph& m_graph;
    const StepCosts& m_costs;
    std::vector<std::int64_t> m_groupStart; // by group: its last part's start
    StepTimes m_times;
};

} // namespace

StepCosts measuredCosts(const StepGraph& graph) {
    StepCosts costs;
    costs.duration.reserve(graph.operations.size());
    costs.delay.reserve(graph.operations.size());
    for (const StepOperation& operation : graph.operations) {
        costs.duration.push_back(operation.duration.ns);
        costs.delay.push_back(operation.delay.ns);
    }
    costs.lag.reserve(graph.edges.size());
    for (const StepEdge& edge : graph.edges)
        costs.lag.push_back(edge.lagNs);
    return costs;
}

StepTimes simulate(const StepGraph& graph, const StepCosts& costs, StepTimes times) {
    times.hostEdges = costs.hostEdges;
    return GraphRun(graph, costs, std::move(times)).run();
}

std::int64_t momentOf(const StepTimes& times, const StepBoundary& boundary) {
    if (boundary.operation == kNone32)
        return boundary.offsetNs;
    const double stays = boundary.isOfHost ? times.hostEdges : 1.0;
    const std::int64_t marked = (boundary.fromEnd ? times.end : times.start)[boundary.operation]
        + std::llround(stays * static_cast<double>(boundary.offsetNs));
    return boundary.work == kNone32 || stays >= 1.0
        ? marked
        : std::max(marked, times.end[boundary.work] - boundary.workLagNs);
}

const StepBoundary& middleOf(const StepTimes& times, std::span<const StepBoundary> boundaries) {
    std::vector<std::pair<std::int64_t, std::size_t>> moments;
    for (std::size_t i = 0; i < boundaries.size(); ++i)
        moments.emplace_back(momentOf(times, boundaries[i]), i);
    const auto middle = moments.begin() + static_cast<std::ptrdiff_t>((moments.size() - 1) / 2);
    std::ranges::nth_element(moments, middle);
    return boundaries[middle->second];
}

double iterationSeconds(const StepTimes& times, const StepIteration& iteration) {
    const std::int64_t end = momentOf(times, middleOf(times, iteration.ends));
    return DurationNs{end - momentOf(times, middleOf(times, iteration.begins))}.seconds();
}

std::optional<double> meanStepSeconds(const StepGraph& graph, const StepTimes& times) {
    RunningMean mean;
    for (const StepIteration& iteration : graph.iterations) {
        if (iteration.counts)
            mean.add(iterationSeconds(times, iteration));
    }
    return mean.count == 0 ? std::nullopt : std::optional(mean.value());
}

} // namespace trainscope::analysis
