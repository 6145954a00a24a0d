#include "core/analysis/replay/StepGraph.h"

#include "core/analysis/statistics/Means.h"

#include <cstring>
#include <tuple>

namespace trainscope::analysis {
namespace {

constexpr std::int64_t kRoundingNs = 1'000; // times of some traces are whole microseconds

std::int64_t endOf(const StepOperation& operation) {
    return (operation.start + operation.duration).ns;
}

// Start, ns; depth behind others that start at the same moment; index as given.
using StepPlace = std::tuple<std::int64_t, std::uint32_t, std::uint32_t>;

// values[i] becomes what values[order[i]] was: eight bytes of each after the others, since values
// may take half of the memory that there is. Reads along the few runs that the order is made of.
template <typename T>
void gather(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
    std::vector<std::uint64_t> words(values.size());
    for (std::size_t at = 0; at < sizeof(T); at += sizeof(std::uint64_t)) {
        auto* bytes = reinterpret_cast<std::byte*>(values.data()) + at;
        for (std::size_t i = 0; i < words.size(); ++i)
            std::memcpy(&words[i], bytes + order[i] * sizeof(T), sizeof(std::uint64_t));
        for (std::size_t i = 0; i < words.size(); ++i)
            std::memcpy(bytes + i * sizeof(T), &words[i], sizeof(std::uint64_t));
    }
}

class GraphFinisher {
public:
    explicit GraphFinisher(StepGraph& graph)
        : m_graph(graph)
        , m_operations(graph.operations) { }

    void run() {
        sortOperations();
        thinGroups();
        sortEdges();
        dropContradictions();
        findLateEnds();
        eraseDropped();
        setCosts();
    }

private:
    // An operation that starts at the same moment as one that it needs comes behind it. Times that
    // contradict each other may form a ring. True: all are.
    bool settleTies(std::vector<StepPlace>& places) const {
        bool isSettled = true;
        for (const StepEdge& edge : m_graph.edges) {
            const auto settle = [&](std::uint32_t first) {
                auto& [start, depth, index] = places[edge.to];
                const auto& [firstStart, firstDepth, firstIndex] = places[first];
                if (firstStart == start && firstDepth >= depth && first != edge.to) {
                    depth = firstDepth + 1;
                    isSettled = false;
                }
            };
            const std::uint32_t group = m_operations[edge.from].group;
            if (!edge.toEnd)
                settle(edge.from);
            if (!edge.toEnd && !edge.fromStart && group != kNone32)
                std::ranges::for_each(m_graph.membersOf(group), settle);
        }
        return isSettled;
    }

    void sortOperations() {
        std::vector<StepPlace> places;
        places.reserve(m_operations.size());
        for (std::uint32_t i = 0; i < m_operations.size(); ++i)
            places.emplace_back(m_operations[i].start.ns, 0, i);
        for (int pass = 0; pass < kMostPasses && !settleTies(places); ++pass) { }
        if (std::is_sorted(places.begin(), places.end()))
            return;
        std::sort(places.begin(), places.end());
        std::vector<std::uint32_t> order;
        order.reserve(places.size());
        for (const auto& [start, depth, index] : places)
            order.push_back(index);
        places = {};
        gather(m_operations, order);
        renumber(order);
    }

    void renumber(const std::vector<std::uint32_t>& order) {
        std::vector<std::uint32_t> newPlace(order.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            newPlace[order[i]] = i;
        for (StepEdge& edge : m_graph.edges) {
            edge.from = newPlace[edge.from];
            edge.to = newPlace[edge.to];
        }
        for (std::uint32_t& member : m_graph.members)
            member = newPlace[member];
        for (StepIteration& iteration : m_graph.iterations) {
            for (auto* boundaries : {&iteration.begins, &iteration.ends}) {
                for (StepBoundary& each : *boundaries) {
                    for (std::uint32_t* anchor : {&each.operation, &each.work})
                        *anchor = *anchor == kNone32 ? kNone32 : newPlace[*anchor];
                }
            }
        }
    }

    void thinGroups() {
        for (StepGroup& group : m_graph.groups) {
            const auto members = std::span(m_graph.members).subspan(group.first, group.count);
            const std::uint32_t last = members.empty() ? kNone32 : std::ranges::max(members);
            const auto left = std::partition(members.begin(), members.end(),
                [&](auto i) { return endOf(m_operations[i]) >= m_operations[last].start.ns; });
            std::for_each(left, members.end(), [&](auto i) { m_operations[i].group = kNone32; });
            group.count = static_cast<std::uint32_t>(left - members.begin());
            m_lastOf.push_back(last);
        }
    }

    // The operation on whose start an end waits.
    [[nodiscard]] std::uint32_t lastOf(std::uint32_t operation) const {
        const std::uint32_t group = m_operations[operation].group;
        return group == kNone32 ? operation : m_lastOf[group];
    }

    void sortEdges() {
        std::vector<std::uint32_t>& first = m_graph.firstEdge;
        first.assign(m_operations.size() + 1, 0);
        for (const StepEdge& edge : m_graph.edges)
            ++first[edge.to + 1];
        for (std::size_t i = 1; i < first.size(); ++i)
            first[i] += first[i - 1];
        if (std::ranges::is_sorted(m_graph.edges, {}, &StepEdge::to))
            return;
        std::vector<std::uint32_t> order(m_graph.edges.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            order[first[m_graph.edges[i].to]++] = i;
        std::shift_right(first.begin(), first.end(), 1);
        first.front() = 0;
        gather(m_graph.edges, order);
    }

    void dropContradictions() {
        for (StepEdge& edge : m_graph.edges) {
            const StepOperation& from = m_operations[edge.from];
            const StepOperation& to = m_operations[edge.to];
            const std::int64_t gap = clampedDifference(
                edge.toEnd ? endOf(to) : to.start.ns, edge.fromStart ? from.start.ns : endOf(from));
            edge.lagNs = static_cast<std::int32_t>(std::min<std::int64_t>(edge.lagNs, gap));
            if (gap < -kRoundingNs || edge.from == edge.to || (!edge.toEnd && edge.from > edge.to))
                edge.from = kNone32; // dropped
        }
    }

    void findLateEnds() {
        std::vector<LateEnd>& ends = m_graph.lateEnds;
        ends.clear();
        for (std::uint32_t i = 0; i < m_operations.size(); ++i) {
            const bool isHeld = std::ranges::any_of(m_graph.edgesTo(i), &StepEdge::toEnd);
            if (isHeld || m_operations[i].group != kNone32)
                ends.push_back({i, isHeld ? kNone32 : i, m_operations[i].group});
        }
        // Calls that wait for others end behind them: inner ones first.
        std::ranges::sort(ends, {}, [this](const LateEnd& end) {
            return std::tuple(
                endOf(m_operations[end.operation]), end.ready == kNone32, kNone32 - end.operation);
        });
        m_ready.assign(m_operations.size(), 0);
        for (const LateEnd& end : ends)
            m_ready[end.operation] = kNone32;
        for (LateEnd& end : ends)
            end.ready = m_ready[end.operation] = readyOf(end.operation);
        std::ranges::stable_sort(ends, {}, &LateEnd::ready);
    }

    // The last operation whose start an end needs; drops edges from ends that come later.
    std::uint32_t readyOf(std::uint32_t operation) {
        std::uint32_t ready = lastOf(operation);
        for (std::uint32_t i = m_graph.firstEdge[operation]; i < m_graph.firstEdge[operation + 1];
             ++i) {
            StepEdge& edge = m_graph.edges[i];
            if (!edge.toEnd || edge.from == kNone32)
                continue;
            if (!edge.fromStart && m_ready[edge.from] == kNone32)
                edge.from = kNone32; // dropped
            else
                ready = std::max({ready, edge.from, edge.fromStart ? 0 : m_ready[edge.from]});
        }
        return ready;
    }

    // And edges of starts that come before the end that they need.
    void eraseDropped() {
        std::uint32_t kept = 0;
        std::uint32_t next = 0;
        for (std::uint32_t to = 0; to < m_operations.size(); ++to) {
            m_graph.firstEdge[to] = kept;
            for (const std::uint32_t end = m_graph.firstEdge[to + 1]; next < end; ++next) {
                const StepEdge& edge = m_graph.edges[next];
                const bool isEarly = edge.from == kNone32
                    || (!edge.toEnd && !edge.fromStart && m_ready[edge.from] >= to);
                if (!isEarly)
                    m_graph.edges[kept++] = edge;
            }
        }
        m_graph.firstEdge.back() = kept;
        m_graph.edges.resize(kept);
    }

    // The latest moment of the edges that hold a start (an end), not before `at`.
    [[nodiscard]] std::int64_t latestOf(
        std::uint32_t operation, bool toEnd, std::int64_t at) const {
        for (const StepEdge& edge : m_graph.edgesTo(operation)) {
            const StepOperation& from = m_operations[edge.from];
            if (edge.toEnd == toEnd)
                at = std::max(at, edge.lagNs + (edge.fromStart ? from.start.ns : endOf(from)));
        }
        return at;
    }

    void setCosts() {
        for (std::uint32_t i = 0; i < m_operations.size(); ++i) {
            const std::int64_t latest = latestOf(i, false, m_graph.begin.ns);
            m_operations[i].delay = m_operations[i].start - TimeNs{latest};
        }
        std::vector<std::int64_t> durations(m_graph.lateEnds.size());
        for (std::size_t k = 0; k < durations.size(); ++k) {
            const std::uint32_t i = m_graph.lateEnds[k].operation;
            durations[k]
                = endOf(m_operations[i]) - latestOf(i, true, m_operations[lastOf(i)].start.ns);
        }
        for (std::size_t k = 0; k < durations.size(); ++k)
            m_operations[m_graph.lateEnds[k].operation].duration.ns = durations[k];
    }

    static constexpr int kMostPasses = 100;

    StepGraph& m_graph;
    std::vector<StepOperation>& m_operations;
    std::vector<std::uint32_t> m_lastOf; // by group
    std::vector<std::uint32_t> m_ready; // by operation: the last start that its end needs
};

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

void finishGraph(StepGraph& graph) {
    GraphFinisher(graph).run();
}

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
