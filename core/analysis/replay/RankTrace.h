#pragma once
// All that the traces of a rank say about what waited for what in a stretch of its time: the calls
// of its threads, the work of its streams, and what its profiler recorded of their dependencies.
// Times are those of the rank's clock. Memory grows with the calls and the work of the stretch. Any
// thread, with a store of its own.

#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/traces/DeviceWalk.h"

namespace trainscope::analysis {

// Calls of a device's runtime, by what they make a thread or a stream wait for. Names are those of
// CUDA, HIP and their drivers.
enum class CallKind : std::uint8_t {
    Other, // counts where it launched work
    Copy, // need not wait for its end
    BlockingCopy, // returns when its work has ended
    Record, // an event is recorded
    StreamWait, // a stream waits for an event
    StreamSync, // returns when all work of a stream has ended
    DeviceSync, // the same for all streams; memory that is freed waits for them, too
    EventSync, // returns when an event has come
    Stretch, // no call: long work of the host that calls nothing
};
CallKind callKindOf(std::string_view name);

struct TracedCall {
    std::int64_t correlation = 0;
    CallKind kind = CallKind::Other;
};

struct LaunchedWork {
    std::uint32_t call = kNone32; // operation that launched it
    bool isToHost = false; // a copy that the host may wait for
};

// As of core/model/SpanFacts.h; streams by their place in RankTrace::streams.
enum class RecordKind : std::uint8_t { StreamWait, EventSync, StreamSync, DeviceSync, GraphEdge };
struct TracedRecord {
    RecordKind kind = RecordKind::StreamWait;
    std::int64_t correlation = 0; // the call's that waits, or made a stream wait
    std::int64_t record = -1; // correlation of the call that recorded the event; −1: not known
    std::uint32_t stream = kNone32; // the one that waits
    std::uint32_t from = kNone32; // the one that is waited for
    TimeRange when; // GraphEdge: from the end of the one work to the begin of the other
};

struct TracedThread {
    Track track;
    bool isAutograd = false; // it runs the engine of the backward pass
    bool isMarked = false; // it marked the iterations
};

struct RankTrace {
    int rank = -1;
    std::vector<TracedThread> threads;
    std::vector<Track> streams;
    // First the calls with the stretches of the host's own work, by begin, then the works, by begin
    // on each device. Names are the values of NameIds; tracks are the threads and, behind them, the
    // streams.
    std::vector<StepOperation> operations;
    std::vector<StepEdge> edges; // addRankEdges()
    std::vector<TracedCall> calls;
    std::vector<LaunchedWork> works;
    std::vector<TracedRecord> records; // by correlation
    std::vector<std::string> categories{"host"};

    [[nodiscard]] std::uint32_t firstWork() const {
        return static_cast<std::uint32_t>(calls.size());
    }
    [[nodiscard]] TimeNs endOf(std::uint32_t operation) const {
        return operations[operation].start + operations[operation].duration;
    }
};

// The stretch of a rank that is looked at, on its clock.
struct RankPart {
    std::vector<DeviceTracks> devices; // its own
    std::vector<Track> records; // tracks of kind Other
    TimeRange window;
    std::vector<TimeNs> marks; // begins of its iterations
};

// All that begins in the window, without edges.
Result<RankTrace> readRankTrace(
    const store::Store& store, const RankPart& part, const Progress& progress);

// Edges between the operations of one rank, from its trace. Pure; any thread; linear in calls and
// work but for searches.
//
//   Thread    calls of a thread, in order: recorded
//   Launch    from the begin of a call to the work that it launched, by correlation: recorded, with
//             the usual lag of idle streams; from the end of a call that is long. Work without a
//             call was launched behind the one before it in its stream: inferred
//   Stream    work of a stream, in order: assumed, with the usual gap of what had been launched
//             before. Work that reaches into the next a little is cut; where it overlaps more, both
//             follow what was ahead of them
//   Event     as recorded, else by the order of calls: a record is of the stream that its thread
//             launched to last; a wait is of the stream that it launches to next, and for the
//             record right before it, else for the latest of another stream whose work had ended.
//             Work that begins later than all this explains waits for what just ended elsewhere
//   Wait      holds the end of synchronisation, of blocking copies, of copies to the host that
//             ended in their call, of launches while the queue of launches is full
//   Graph     within one launch of a graph of kernels: as recorded, else like Stream and Event
//   Handover  from the last call of a thread to the first of another that was idle meanwhile:
//             inferred, of threads of autograd's engine, or where the other was busy most of that
//             time

// Fills in the edges, and cuts works short that overlap a little.
void addRankEdges(RankTrace& trace);

} // namespace trainscope::analysis
