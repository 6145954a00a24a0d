#pragma once
// Sums over slices of a run's traces, so that the figures of any stretch are read from a few of
// them and from the spans at its two ends. The sums are derived: computed by one pass over the
// traces, kept in the database (core/store/KeptSums.h), and computed again where they are missing.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/CallSums.h"
#include "core/analysis/traces/DeviceAccount.h"
#include "core/analysis/traces/OperatorSums.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/Import.h"
#include "core/store/KeptSums.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

// Kind of a sequence of slices; its place is the device, the track, or 0.
enum class SumKind { Device, Thread, Calls, Waits, CallPaths, CallTree };
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

// Kept sums of a run. Refers to the store and is used by its thread.
class TraceSums {
public:
    // Absent where nothing is kept.
    static Result<std::optional<TraceSums>> open(const RunStudy& study);

    Result<DeviceAccount> device(
        const DeviceTracks& device, const TraceWindow& shown, const Progress& progress = {}) const;
    // Sums of a host thread inside the window.
    Result<OperatorSums> operators(const Track& thread, TimeRange window) const;
    // Adds the calls of a rank that start in the window, with their waits if wanted.
    Status addCalls(int rank, TimeRange window, bool withWaits, CallSums& sums) const;
    [[nodiscard]] const std::vector<CallGroup>& groups() const { return m_groups.list(); }

private:
    TraceSums(const store::Store& store, RunId run)
        : m_store(&store)
        , m_run(run) { }

    struct SlicePlan;
    struct Parts;
    // extentEnd: of all spans; the last slice holds those that begin there too.
    static SlicePlan planOf(
        std::span<const store::SumOutline> slices, TimeRange window, TimeNs extentEnd);
    // The spans of a part that no slice is of; `last`: the window that ends with it.
    Result<DeviceSums> edge(const DeviceTracks& device, TimeRange part, TimeNs launchBegin,
        TimeNs hostFrom, const std::optional<TimeRange>& last, const Progress& progress) const;
    // Slices [first, end): the first of them is what the window begins with, or not.
    Status addSlices(const store::SumPlace& place, std::size_t first, std::size_t end, bool isFirst,
        DeviceSums& sums) const;
    Result<std::optional<TimeNs>> firstWork(const store::SumPlace& place, std::size_t slices) const;
    Status addWhole(const DeviceTracks& device, const store::SumPlace& place, SlicePlan& plan,
        Parts& parts) const;
    Status addWindow(const DeviceTracks& device, const store::SumPlace& place, TimeRange window,
        SlicePlan& plan, Parts& parts) const;
    template <typename Entry>
    Status addEntries(const store::SumPlace& place, TimeRange window, CallSums& sums) const;

    const store::Store* m_store;
    RunId m_run;
    CallGroups m_groups;
};

} // namespace trainscope::analysis
