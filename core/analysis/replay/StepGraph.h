#pragma once
// Waits between the operations of a stretch of a run: host calls, kernels, copies, collectives and
// messages of all ranks on one clock, and edges between them.
//
//   an operation starts at the latest of its edges' moments plus its own delay; its delay is the
//   gap that was measured behind the latest of them and stays as measured unless a change says
//   otherwise; it ends its duration after its base, the latest of its start, of the moments of the
//   edges that hold its end, and, as a part of a collective or message (a group), of the last
//   part's start: a part's duration is its transfer without the waiting for the others, that of a
//   call that waits is what it takes once the device is done.
//
// Plain values; any thread. Memory: 48 B and 4 B an operation, 16 B an edge.

#include "core/analysis/traces/Phase.h"

namespace trainscope::analysis {

enum class OperationKind : std::uint8_t { HostCall, Kernel, Copy, Collective, Message };
constexpr auto namesOf(OperationKind) {
    return enumNames("host_call", "kernel", "copy", "collective", "message");
}

inline constexpr std::uint32_t kNone32 = std::numeric_limits<std::uint32_t>::max();

struct StepOperation {
    TimeNs start; // as measured, on the common clock
    DurationNs duration; // from its base on; what finishGraph is given: from its own start
    DurationNs delay; // behind the latest edge; without edges: behind the graph's begin
    std::uint32_t track = 0; // index in StepGraph::tracks
    std::uint32_t name = 0; // index in StepGraph::names
    std::uint32_t group = kNone32; // index in StepGraph::groups
    std::uint32_t operatorName = kNone32; // index in names: of the operator that called it
    std::int16_t iteration = -1; // index in StepGraph::iterations of the one it was launched in
    std::int16_t microBatch = -1; // -1: the trace does not say
    OperationKind kind = OperationKind::HostCall;
    Phase phase = Phase::Compute; // for what runs on a device
    std::uint16_t category = 0; // index in StepGraph::categories
};

inline bool isTransfer(const StepOperation& operation) {
    return operation.kind == OperationKind::Collective || operation.kind == OperationKind::Message;
}

enum class EdgeKind : std::uint8_t {
    Thread, // calls of a host thread, in order
    Launch, // from the call's start to what it launched
    Stream, // work of a stream, in order
    Event, // an event recorded in one stream, waited for in another
    Wait, // a call that returns when work of the device has ended: holds its end
    Graph, // within a graph of kernels
    Handover, // from one host thread to another
    Dependency, // operation-level traces only
};
constexpr auto namesOf(EdgeKind) {
    return enumNames(
        "thread", "launch", "stream", "event", "wait", "graph", "handover", "dependency");
}

enum class EdgeBasis : std::uint8_t { Recorded, Inferred, Assumed };
constexpr auto namesOf(EdgeBasis) {
    return enumNames("recorded", "inferred", "assumed");
}

struct StepEdge {
    std::uint32_t from = 0; // index in StepGraph::operations, below `to` unless it holds its end
    std::uint32_t to = 0;
    // Least gap behind `from` that such an edge has; no more than was measured.
    std::int32_t lagNs = 0;
    EdgeKind kind = EdgeKind::Stream;
    EdgeBasis basis = EdgeBasis::Assumed;
    bool fromStart = false; // counts from the start of `from`, not from its end
    bool toEnd = false; // holds the end of `to`, not its start
};

struct StepTrack {
    int rank = -1;
    int device = -1; // -1: a host thread
    int stage = -1; // pipeline's; -1: not known
    TrackId id; // the store's; invalid in planted graphs
    std::string name;
    int dataRank = -1; // operation-level traces only
};

struct StepGroup {
    std::uint32_t first = 0; // in StepGraph::members
    std::uint32_t count = 0;
    std::uint32_t name = 0; // index in names: "all_reduce in DP_GROUP"
};

// The moment at which an iteration begins or ends for a rank: so long after (before: negative) the
// start or end of an operation. A host that is made faster marks no moment before the work that it
// had launched by then, which is behind the mark by no more than it was: a step is not shorter than
// its work.
struct StepBoundary {
    std::uint32_t operation = kNone32; // kNone32: at the graph's begin
    std::int64_t offsetNs = 0;
    int rank = -1;
    bool fromEnd = false;
    bool isOfHost = false; // the offset is time of the host
    std::uint32_t work = kNone32; // the last to end
    std::int64_t workLagNs = 0; // by which its end lagged behind the moment; 0: it ended before
};

struct StepIteration {
    Iteration measured; // as everywhere; its range on the common clock
    bool counts = true; // false: read beside the others alone
    std::vector<StepBoundary> begins; // one a rank
    std::vector<StepBoundary> ends;
};

// An end that waits for more than its own start: of a part of a group, or held by an edge.
struct LateEnd {
    std::uint32_t operation = 0;
    std::uint32_t ready = 0; // the last operation whose start it needs
    std::uint32_t group = kNone32; // the operation's
};

struct StepGraph {
    TimeNs begin; // times of a simulation count from here
    // In order of their measured start; edges that hold no end lead forward in it.
    std::vector<StepOperation> operations;
    std::vector<StepEdge> edges; // by `to`
    std::vector<std::uint32_t> firstEdge; // by operation, and the number of edges at the end
    std::vector<std::uint32_t> members; // operations, group by group
    std::vector<StepGroup> groups;
    std::vector<LateEnd> lateEnds; // each behind those that it needs; no start before needs it
    std::vector<StepTrack> tracks;
    std::vector<std::string> names;
    std::vector<std::string> categories; // KernelCategory.h, "copy", "host"
    std::vector<StepIteration> iterations; // in order of time
    bool isOfOperations = false; // an operation-level trace: no kernels and calls
    std::vector<std::string> notes; // sentences for people: what could not be known

    [[nodiscard]] std::span<const StepEdge> edgesTo(std::uint32_t operation) const {
        return std::span(edges).subspan(
            firstEdge[operation], firstEdge[operation + 1] - firstEdge[operation]);
    }
    [[nodiscard]] std::span<const std::uint32_t> membersOf(std::uint32_t group) const {
        return std::span(members).subspan(groups[group].first, groups[group].count);
    }
};

// From operations, edges in any order, groups and members that are filled in: sorts the operations
// by start and the edges by `to`; takes parts that ended before the last one began out of their
// group; drops edges that lead backward or begin behind what they lead to by more than traces round
// times (1 µs); cuts lags to what was measured, sets every delay and late end, and turns durations,
// given from an operation's own start, into those from its base. Places in members, boundaries and
// edges follow.
void finishGraph(StepGraph& graph);

// A step graph run again, with the durations that it was measured with or with others. Pure; any
// thread; linear in operations and edges.

// Costs of a graph's operations, ns, in their order. Changes rewrite them.
struct StepCosts {
    std::vector<std::int64_t> duration;
    std::vector<std::int64_t> delay;
    std::vector<std::int32_t> lag; // by edge
    double hostEdges = 1.0; // share that stays of the host's time at begins and ends of iterations
};
StepCosts measuredCosts(const StepGraph& graph);

// Moments of an operation's start and end as simulated.
struct StepTimes {
    std::vector<std::int64_t> start; // ns behind StepGraph::begin, by operation
    std::vector<std::int64_t> end;
    double hostEdges = 1.0; // as in the costs
};
// `times`: of another simulation of the graph, whose memory is used again.
StepTimes simulate(const StepGraph& graph, const StepCosts& costs, StepTimes times = {});

// Begin (end) of an iteration for a rank, ns behind the graph's begin.
std::int64_t momentOf(const StepTimes& times, const StepBoundary& boundary);
// The one in the middle of these moments over ranks, of an even number the earlier of the two, as
// iterations have it everywhere; there must be one.
const StepBoundary& middleOf(const StepTimes& times, std::span<const StepBoundary> boundaries);
// Length of an iteration in simulated times: from the middle over ranks of its begins to that of
// its ends, s.
double iterationSeconds(const StepTimes& times, const StepIteration& iteration);
// Its mean over the iterations that count; absent where none do.
std::optional<double> meanStepSeconds(const StepGraph& graph, const StepTimes& times);

} // namespace trainscope::analysis
