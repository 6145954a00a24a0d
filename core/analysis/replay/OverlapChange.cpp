// Collectives beside compute or one after the other, by other edges of the graph.

#include "core/analysis/replay/ChangeState.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

using RankDevice = std::pair<int, int>; // rank, device

RankDevice rankDeviceOf(const StepGraph& graph, const StepOperation& operation) {
    const StepTrack& track = graph.tracks[operation.track];
    return {track.rank, track.device};
}

bool isOfCollective(const StepOperation& operation) {
    return operation.kind == OperationKind::Collective;
}

// Edges sorted by `to` with their places, and costs of them.
void takeOverlapEdges(StepGraph& graph, std::vector<StepEdge> edges) {
    std::stable_sort(edges.begin(), edges.end(),
        [](const StepEdge& a, const StepEdge& b) { return a.to < b.to; });
    graph.firstEdge.assign(graph.operations.size() + 1, 0);
    for (const StepEdge& edge : edges)
        ++graph.firstEdge[edge.to + 1];
    for (std::size_t i = 1; i < graph.firstEdge.size(); ++i)
        graph.firstEdge[i] += graph.firstEdge[i - 1];
    graph.edges = std::move(edges);
}

// No compute but the optimizer waits for a collective; it stays behind the compute of its stream.
std::vector<StepEdge> overlappedEdges(const StepGraph& graph, std::size_t& dropped) {
    std::vector<StepEdge> edges;
    std::vector<std::uint32_t> lastOfTrack(graph.tracks.size(), kNone32);
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const bool mayRun
            = operation.kind == OperationKind::Kernel && operation.phase != Phase::Optimizer;
        for (const StepEdge& edge : graph.edgesTo(i)) {
            const StepOperation& from = graph.operations[edge.from];
            if (!mayRun || !isOfCollective(from) || edge.toEnd) {
                edges.push_back(edge);
                continue;
            }
            ++dropped;
            if (from.track == operation.track && lastOfTrack[operation.track] != kNone32)
                edges.push_back({lastOfTrack[operation.track], i, 0, EdgeKind::Stream,
                    EdgeBasis::Assumed, false, false});
        }
        if (!isOfCollective(operation))
            lastOfTrack[operation.track] = i;
    }
    return edges;
}

// Each collective of a device waits for the compute before it, and the compute behind waits for it;
// in the order of their measured starts.
std::vector<StepEdge> serialEdges(const StepGraph& graph, std::size_t& added) {
    std::vector<StepEdge> edges = graph.edges;
    std::map<RankDevice, std::uint32_t> lastCollective;
    std::map<RankDevice, std::map<std::uint32_t, std::uint32_t>> lastCompute; // by track
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
        edges.push_back({from, to, 0, EdgeKind::Event, EdgeBasis::Assumed, false, false});
        ++added;
    };
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const RankDevice device = rankDeviceOf(graph, operation);
        if (isOfCollective(operation)) {
            for (const auto& [track, last] : lastCompute[device])
                add(last, i);
            lastCollective[device] = i;
        } else if (operation.kind == OperationKind::Kernel) {
            if (const auto last = lastCollective.find(device); last != lastCollective.end())
                add(last->second, i);
            lastCompute[device][operation.track] = i;
        }
    }
    return edges;
}

// Times of operations in any order of the graph: each start and each end is a node that waits for
// others.
class AnyOrder {
public:
    AnyOrder(const StepGraph& graph, const std::vector<StepEdge>& edges, const StepCosts& costs)
        : m_graph(graph)
        , m_edges(edges)
        , m_costs(costs)
        , m_leaving(graph.operations.size())
        , m_waits(2 * graph.operations.size(), 0)
        , m_at(2 * graph.operations.size(), 0)
        , m_partsLeft(graph.groups.size()) { }

    // False where operations wait for themselves.
    bool run() {
        const auto count = static_cast<std::uint32_t>(m_graph.operations.size());
        for (std::uint32_t i = 0; i < m_edges.size(); ++i) {
            m_leaving[m_edges[i].from].push_back(i);
            ++m_waits[nodeOf(m_edges[i])];
        }
        for (std::size_t group = 0; group < m_partsLeft.size(); ++group)
            m_partsLeft[group] = m_graph.groups[group].count;
        for (std::uint32_t i = 0; i < count; ++i) {
            ++m_waits[2 * i + 1]; // for its start, or that of all parts of its group
            if (m_waits[2 * i] == 0)
                m_ready.push_back(2 * i);
        }
        std::size_t done = 0;
        for (; !m_ready.empty(); ++done) {
            const std::uint32_t node = m_ready.back();
            m_ready.pop_back();
            finish(node);
        }
        return done == m_at.size();
    }
    [[nodiscard]] std::int64_t start(std::uint32_t i) const { return m_at[2 * i]; }
    [[nodiscard]] std::int64_t end(std::uint32_t i) const { return m_at[2 * i + 1]; }

private:
    static std::uint32_t nodeOf(const StepEdge& edge) { return 2 * edge.to + (edge.toEnd ? 1 : 0); }
    void release(std::uint32_t node, std::int64_t moment) {
        m_at[node] = std::max(m_at[node], moment);
        if (--m_waits[node] == 0)
            m_ready.push_back(node);
    }
    void finish(std::uint32_t node) {
        const std::uint32_t i = node / 2;
        const bool isEnd = node % 2 == 1;
        m_at[node] += isEnd ? m_costs.duration[i] : m_costs.delay[i];
        for (const std::uint32_t e : m_leaving[i]) {
            if (m_edges[e].fromStart != isEnd)
                release(nodeOf(m_edges[e]), m_at[node] + m_edges[e].lagNs);
        }
        if (!isEnd)
            begin(i);
    }
    // Its end, or those of its group with the last part.
    void begin(std::uint32_t i) {
        const std::uint32_t group = m_graph.operations[i].group;
        if (group == kNone32)
            return release(2 * i + 1, m_at[2 * i]);
        if (--m_partsLeft[group] > 0)
            return;
        std::int64_t last = 0;
        for (const std::uint32_t part : m_graph.membersOf(group))
            last = std::max(last, m_at[2 * part]);
        for (const std::uint32_t part : m_graph.membersOf(group))
            release(2 * part + 1, last);
    }

    const StepGraph& m_graph;
    const std::vector<StepEdge>& m_edges;
    const StepCosts& m_costs;
    std::vector<std::vector<std::uint32_t>> m_leaving; // edges, by operation
    std::vector<std::uint32_t> m_waits; // by node: starts are even, ends odd
    std::vector<std::int64_t> m_at;
    std::vector<std::uint32_t> m_partsLeft;
    std::vector<std::uint32_t> m_ready;
};

Status serialiseCollectives(ChangeState& state) {
    auto changed = std::make_shared<StepGraph>(*state.graph);
    std::size_t added = 0;
    std::vector<StepEdge> edges = serialEdges(*changed, added);
    if (added == 0)
        return usageError("no device has both compute and collectives");
    AnyOrder order(*changed, edges, state.costs.likely);
    if (!order.run())
        return usageError("ranks would wait for each other: they do not all start their "
                          "collectives in the same order");
    for (std::uint32_t i = 0; i < changed->operations.size(); ++i) {
        StepOperation& operation = changed->operations[i];
        operation.start = changed->begin + DurationNs{order.start(i)};
        operation.duration = {order.end(i) - order.start(i)};
    }
    changed->edges = std::move(edges);
    finishGraph(*changed);
    state.costs.likely = measuredCosts(*changed);
    state.graph = std::move(changed);
    state.assumption = "Each collective begins where it began beside its compute, and the compute "
                       "behind waits for it.";
    return {};
}

Status overlapCollectives(ChangeState& state) {
    auto changed = std::make_shared<StepGraph>(*state.graph);
    std::size_t dropped = 0;
    takeOverlapEdges(*changed, overlappedEdges(*state.graph, dropped));
    if (dropped == 0)
        return usageError("no compute waits for a collective");
    const StepCosts costs = measuredCosts(*changed);
    state.costs.likely.lag = costs.lag;
    state.costs.likely.isDropped = costs.isDropped;
    state.graph = std::move(changed);
    state.assumption = "No compute but the optimizer needs what collectives bring, and they slow "
                       "nothing that runs beside them.";
    return {};
}

} // namespace

Status changeOverlap(const StepChange& change, ChangeState& state) {
    const Status done
        = change.value > 0.0 ? overlapCollectives(state) : serialiseCollectives(state);
    state.costs.fast = state.costs.slow = state.costs.likely;
    return done;
}

} // namespace trainscope::analysis
