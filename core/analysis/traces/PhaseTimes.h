#pragma once
// How long each phase (Phase.h) held on a device: whole nanoseconds that sum to the window.

#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

#include <vector>

namespace trainscope::analysis {

struct WindowPhases {
    TimeRange window;
    ByPhase<DurationNs> time; // sums to the window's length
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

    Status piece(TimeRange range, std::span<const ActiveKernel> running) override;
    // After the walk, whose evidence says what unmarked compute is.
    WindowPhases all(const MarkEvidence& evidence) const;
    std::vector<IterationPhases> iterations(const MarkEvidence& evidence) const;

private:
    static void finish(WindowPhases& window, const MarkEvidence& evidence);

    WindowPhases m_all;
    bool m_isFixed;
    bool m_isFirst = true;
    std::vector<IterationPhases> m_iterations;
    OpenWindows m_windows; // as the iterations
};

} // namespace trainscope::analysis
