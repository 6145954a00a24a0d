#pragma once
// Activity of each traced device: phases, launches and copies, from one pass over the trace.

#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/LaunchStatistics.h"
#include "core/analysis/traces/RankWindow.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/analysis/traces/TraceWindow.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

// Time of each phase (Phase.h) on a device: whole nanoseconds.
struct WindowPhases {
    TimeRange window;
    DurationNs traced; // of the window: without what lies between captures
    ByPhase<DurationNs> time; // sums to what was traced
    DurationNs sendRecvOnly; // part of the exposed communication: nothing but SendRecv ran
    // Nothing ran, or nothing but SendRecv: what a pipeline bubble looks like.
    [[nodiscard]] DurationNs waiting() const { return time[Phase::Idle] + sendRecvOnly; }
};

struct IterationPhases : WindowPhases {
    std::int64_t index = 0;
    bool warmup = false;
};

class PhaseMeter : public DeviceVisitor {
public:
    explicit PhaseMeter(const TraceWindow& shown);

    Status piece(TimeRange range, const Running& running) override;
    // After the walk, whose evidence says what unmarked compute is.
    WindowPhases all(const MarkEvidence& evidence) const;
    std::vector<IterationPhases> iterations(const MarkEvidence& evidence) const;

private:
    static void finish(WindowPhases& window, const MarkEvidence& evidence);

    WindowPhases m_all;
    TraceWindow m_shown;
    bool m_isFirst = true;
    std::vector<IterationPhases> m_iterations;
    OpenWindows m_windows; // as the iterations
};

// Copies of a device by direction, with bytes and bandwidth where the trace tells the bytes.
struct CopyKind {
    std::int64_t count = 0;
    DurationNs time; // summed
    std::int64_t withBytes = 0; // of the count: told and wholly inside the window
    std::int64_t bytes = 0;
    DurationNs timeWithBytes;

    // B/s while copying; absent where no copy tells its bytes or none takes time.
    [[nodiscard]] std::optional<double> bandwidth() const;
};
using CopyStatistics = std::map<std::string, CopyKind>; // "HtoD", "DtoH", "DtoD", "PtoP", "other"

// "Memcpy HtoD (Pinned -> Device)" → "HtoD"; "CopyHostToDevice" → "HtoD".
std::string copyDirection(std::string_view name);

class CopyMeter : public DeviceVisitor {
public:
    CopyMeter(const store::Store& store, const TraceWindow& shown)
        : m_store(store)
        , m_range(shown.range) { }

    Status work(const DeviceWork& work) override;
    [[nodiscard]] const CopyStatistics& result() const { return m_result; }

private:
    struct Facts {
        CopyKind* kind = nullptr;
        std::optional<std::int64_t> bytes;
    };
    Result<Facts> factsOf(const Span& span);

    const store::Store& m_store;
    TimeRange m_range;
    CopyStatistics m_result;
    std::map<std::pair<NameId, NameId>, Facts> m_facts; // by name and detail
};

// All that one pass over a rank's trace tells about its devices besides the kernel table: phases,
// launches, copies; and the kernel table too, where it is wanted.
struct DeviceActivity {
    int rank = -1;
    int device = -1;
    WindowPhases phases;
    std::vector<IterationPhases> iterations; // by time
    MarkEvidence evidence;
    LaunchStatistics launches;
    CopyStatistics copies;
};

// Windows and iterations as for traceBreakdown(). By rank, then device.
Result<std::vector<DeviceActivity>> deviceActivity(const store::Store& store, const Run& run,
    TimeRange window = kAllTime, const IterationChoice& iterations = {},
    const Progress& progress = {});

struct DeviceTrace {
    DeviceBreakdown breakdown;
    DeviceActivity activity;
};

// Results of traceBreakdown() and deviceActivity() from one pass over the spans; the window is on
// the clock of each rank.
Result<std::vector<DeviceTrace>> deviceTraces(const store::Store& store, const Run& run,
    const KernelCategories& categories, const RankWindow& window, const IterationChoice& iterations,
    const Progress& progress = {});
Result<std::vector<DeviceTrace>> deviceTraces(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations,
    const Progress& progress = {});

} // namespace trainscope::analysis
