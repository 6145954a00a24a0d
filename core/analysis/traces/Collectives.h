#pragma once
// The collectives of a run, each with the parts of all ranks on one clock: matched by communicator,
// kind, size, number and time. Streamed: memory does not grow with the trace.

#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

struct CollectiveRank {
    int rank = 0;
    TimeNs start;
    TimeNs end;
    DurationNs wait; // from its start until the last rank started
};

struct Collective {
    CollectiveKind kind = CollectiveKind::Other;
    const Communicator* group = nullptr; // valid during the visit
    std::uint32_t communicator = 0; // its number in this scan
    std::optional<double> bytes; // see bytesOf(); the mean where ranks hand in differently much
    std::vector<CollectiveRank> ranks; // by rank; two or more
    bool isComplete = false; // every recorded rank of the communicator is there
    int ranksInGroup = 0; // that count for the bus bandwidth: the communicator's, else ranks.size()
    int firstRank = 0; // that started first
    int lastRank = 0; // that started last: it kept the others waiting
    TimeNs firstStart;
    TimeNs lastStart;
    TimeNs end; // of the last part
    // From the last start to the end of that part: what the transfer took, on one clock.
    DurationNs transfer;

    // bytes / transfer, and that × busFactor(); absent without bytes or time.
    [[nodiscard]] std::optional<double> algorithmBandwidth() const; // B/s
    [[nodiscard]] std::optional<double> busBandwidth() const; // B/s
};

struct CollectiveScan {
    std::int64_t complete = 0; // collectives
    std::int64_t incomplete = 0; // some recorded rank's part was not found
    std::map<int, std::int64_t> unmatched; // calls without a partner though there should be one
    std::map<int, std::int64_t> alone; // calls none of whose partners was recorded
};

// The visitor returns false to stop. `onCommonClock` false: times stay those of each rank's clock
// (matching uses the clocks all the same). Ranks without an aligned clock are left out. The order
// is about that of time. Cancelled by progress.
using CollectiveVisitor = std::function<bool(const Collective&)>;
Result<CollectiveScan> forEachCollective(const store::Store& store, const Run& run,
    const RankClocks& clocks, const CollectiveVisitor& visit, const Progress& progress = {},
    bool onCommonClock = true);

} // namespace trainscope::analysis
