#pragma once
// Sums over slices of a run's traces, so that the figures of any stretch are read from a few of
// them and from the spans at its two ends. The sums are derived: computed by one pass over the
// traces, kept in the database (core/store/KeptSums.h), and computed again where they are missing.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/CallSums.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/store/KeptSums.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// Kind of a sequence of slices; its place is the device, the track, or 0. The replay is no sum, and
// of no basis (replay/ReplayBytes.h).
enum class SumKind { Device, Thread, Calls, Waits, CallPaths, CallTree, Replay };
store::SumPlace placeOf(SumKind kind, int rank, std::int64_t place = 0);

// Raise it when sums are computed differently: those of another version are computed again.
inline constexpr std::int64_t kTraceSumsVersion = 6;

// One pass over all traces of the run: all sums but the call trees
// (core/analysis/operators/KeptTraces.h). Memory grows with the slices and the names, and with the
// calls of one rank; waits beyond that many are sorted in a file beside the database. Cancelled by
// progress. Blocking; for a worker.
inline constexpr std::size_t kWaitsInMemory = std::size_t{1} << 20U;
Result<store::KeptSums> sumTraces(
    const RunStudy& study, std::size_t waitsInMemory = kWaitsInMemory);

// Sums of traces so long that reading a stretch of them takes a while, and that are not kept.
enum class LackingSums { None, AllButCallTrees, All };
Result<LackingSums> lackingSums(const RunStudy& study);

// Kept sums of a run, read by any of its stores.
class TraceSums {
public:
    // Absent where nothing is kept.
    static Result<std::optional<TraceSums>> open(const RunStudy& study);

    [[nodiscard]] Result<DeviceAccount> device(
        const DeviceReading& reading, const TraceWindow& shown) const;
    // Sums of a host thread inside the window.
    [[nodiscard]] Result<OperatorSums> operators(
        const store::Store& store, const Track& thread, TimeRange window) const;
    // Adds the calls of a rank that start in the window, with their waits if wanted.
    Status addCalls(const store::Store& store, int rank, TimeRange window, bool withWaits,
        CallSums& sums) const;
    [[nodiscard]] const std::vector<CallGroup>& groups() const { return m_groups.list(); }

private:
    explicit TraceSums(RunId run)
        : m_run(run) { }
    template <typename Entry>
    Status addEntries(const store::Store& store, const store::SumPlace& place, TimeRange window,
        CallSums& sums) const;

    RunId m_run;
    CallGroups m_groups;
};

} // namespace trainscope::analysis
