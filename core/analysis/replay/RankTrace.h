#pragma once
// All that the traces of a rank say about what waited for what in a stretch of its time: the calls
// of its threads, the work of its streams, and what its profiler recorded of their dependencies.
// Times are those of the rank's clock. Memory grows with the calls and the work of the stretch:
// 56 B each. Any thread, with a store of its own.

#include "core/analysis/replay/HostCalls.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/model/Import.h"
#include "core/model/Span.h"
#include "core/store/Store.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct TracedCall {
    TimeNs begin;
    TimeNs end;
    std::int64_t correlation = 0;
    NameId name;
    NameId operatorName; // the innermost operator around it; invalid: none
    std::uint32_t thread = 0; // index in RankTrace::threads
    CallKind kind = CallKind::Other;
};

struct TracedWork {
    TimeNs begin;
    TimeNs end;
    NameId name;
    std::uint32_t stream = 0; // index in RankTrace::streams
    std::uint32_t call = kNone32; // index in RankTrace::calls: what launched it
    std::int16_t microBatch = -1;
    OperationKind kind = OperationKind::Kernel;
    Phase phase = Phase::Compute;
    std::uint16_t category = 0; // index in RankTrace::categories
    bool isToHost = false; // a copy that the host may wait for
};

// As of core/model/RecordedEdge.h.
enum class RecordKind : std::uint8_t { StreamWait, EventSync, StreamSync, DeviceSync, GraphEdge };
struct TracedRecord {
    RecordKind kind = RecordKind::StreamWait;
    std::int64_t correlation = 0; // of the call that waits, or made a stream wait
    std::int64_t record = -1; // correlation of the call that recorded the event; −1: not known
    std::uint32_t stream = kNone32; // that waits
    std::uint32_t from = kNone32; // that is waited for
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
    std::vector<TracedCall> calls; // by begin
    std::vector<TracedWork> works; // by begin
    std::vector<TracedRecord> records; // by correlation
    std::vector<std::string> categories;
};

// The stretch of a rank that is looked at, on its clock.
struct RankPart {
    std::vector<DeviceTracks> devices; // its own
    std::vector<Track> records; // tracks of kind Other
    TimeRange window;
    std::vector<TimeNs> marks; // begins of its iterations
};

// What begins in the window.
Result<RankTrace> readRankTrace(
    const store::Store& store, const RankPart& part, const Progress& progress = {});

} // namespace trainscope::analysis
