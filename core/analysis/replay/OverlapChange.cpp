// Collectives beside compute or one after the other, by other edges of the graph.

#include "core/analysis/replay/ChangeState.h"

namespace trainscope::analysis {

namespace {

bool isOfCollective(const StepOperation& operation) {
    return operation.kind == OperationKind::Collective;
}

// No compute but the optimizer waits for a collective; it stays behind the compute of its stream.
// The answer is how many edges are gone.
std::size_t dropExposed(StepGraph& graph) {
    std::vector<StepEdge> edges;
    std::vector<std::uint32_t> first{0};
    std::vector<std::uint32_t> lastOfTrack(graph.tracks.size(), kNone32);
    std::size_t dropped = 0;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const bool mayRun
            = operation.kind == OperationKind::Kernel && operation.phase != Phase::Optimizer;
        for (StepEdge edge : graph.edgesTo(i)) {
            const bool isDropped = mayRun && isOfCollective(graph.operations[edge.from]);
            const bool isOwn = graph.operations[edge.from].track == operation.track;
            dropped += isDropped ? 1 : 0;
            if (isDropped)
                edge = {isOwn ? lastOfTrack[operation.track] : kNone32, i, 0, EdgeKind::Stream,
                    EdgeBasis::Assumed, false, false};
            if (edge.from != kNone32)
                edges.push_back(edge);
        }
        first.push_back(static_cast<std::uint32_t>(edges.size()));
        if (!isOfCollective(operation))
            lastOfTrack[operation.track] = i;
    }
    graph.edges = std::move(edges);
    graph.firstEdge = std::move(first);
    return dropped;
}

// Each collective of a device waits for the compute before it, and the compute behind waits for it;
// in the order of their measured starts.
std::vector<StepEdge> serialEdges(const StepGraph& graph, std::size_t& added) {
    std::vector<StepEdge> edges = graph.edges;
    using RankDevice = std::pair<int, int>;
    std::map<RankDevice, std::uint32_t> lastCollective;
    std::map<RankDevice, std::map<std::uint32_t, std::uint32_t>> lastCompute; // by track
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
        edges.push_back({from, to, 0, EdgeKind::Event, EdgeBasis::Assumed, false, false});
        ++added;
    };
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const StepTrack& track = graph.tracks[operation.track];
        const RankDevice device{track.rank, track.device};
        if (isOfCollective(operation)) {
            for (const auto& [stream, last] : lastCompute[device])
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

// Times of operations whatever their order: each start and each end is a node that waits for
// others; starts are even.
class AnyOrder {
public:
    AnyOrder(const StepGraph& graph, const std::vector<StepEdge>& edges, const StepCosts& costs)
        : m_costs(costs)
        , m_leaving(2 * graph.operations.size())
        , m_waits(m_leaving.size(), 0)
        , m_at(m_leaving.size(), 0) {
        for (const StepEdge& edge : edges)
            connect(2 * edge.from + (edge.fromStart ? 0 : 1), 2 * edge.to + (edge.toEnd ? 1 : 0),
                edge.lagNs);
        for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
            connect(2 * i, 2 * i + 1, 0);
            if (const std::uint32_t group = graph.operations[i].group; group != kNone32) {
                for (const std::uint32_t part : graph.membersOf(group))
                    connect(2 * part, 2 * i + 1, 0);
            }
        }
    }

    // False where operations wait for themselves.
    bool run() {
        std::vector<std::uint32_t> ready;
        for (std::uint32_t node = 0; node < m_waits.size(); ++node) {
            if (m_waits[node] == 0)
                ready.push_back(node);
        }
        std::size_t done = 0;
        for (; !ready.empty(); ++done) {
            const std::uint32_t node = ready.back();
            ready.pop_back();
            m_at[node] += (node % 2 == 1 ? m_costs.duration : m_costs.delay)[node / 2];
            for (const auto& [next, lagNs] : m_leaving[node]) {
                m_at[next] = std::max(m_at[next], m_at[node] + lagNs);
                if (--m_waits[next] == 0)
                    ready.push_back(next);
            }
        }
        return done == m_at.size();
    }
    void take(StepGraph& graph) const {
        for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
            StepOperation& operation = graph.operations[i];
            operation.start = graph.begin + DurationNs{m_at[std::size_t{2} * i]};
            operation.duration = {m_at[std::size_t{2} * i + 1] - m_at[std::size_t{2} * i]};
        }
    }

private:
    void connect(std::uint32_t from, std::uint32_t to, std::int64_t lagNs) {
        m_leaving[from].emplace_back(to, lagNs);
        ++m_waits[to];
    }

    const StepCosts& m_costs;
    std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>>
        m_leaving; // by node: next, lag
    std::vector<std::uint32_t> m_waits; // by node
    std::vector<std::int64_t> m_at;
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
    order.take(*changed);
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
    if (dropExposed(*changed) == 0)
        return usageError("no compute waits for a collective");
    state.costs.likely.lag = measuredCosts(*changed).lag;
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
