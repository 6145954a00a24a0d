#pragma once
// Progress of a job of StoreWorker: ten reports a second at most, and an end when nobody waits any
// more.

#include "app/viewmodels/workspace/StoreWorker.h"
#include "core/model/Import.h"

#include <QString>

#include <chrono>

namespace trainscope::app {

inline QString phaseText(const ProgressState& state) {
    return QString::fromUtf8(state.phase.data(), static_cast<qsizetype>(state.phase.size()));
}

// 0..1; -1: unknown.
inline double fractionOf(const ProgressState& state) {
    if (state.bytesTotal == 0)
        return -1.0;
    return static_cast<double>(state.bytesDone) / static_cast<double>(state.bytesTotal);
}

// `report` takes a ProgressState. `stage` must outlive the result.
template <typename T, typename Report>
Progress progressOf(const TaskStage<T>& stage, Report report) {
    using Clock = std::chrono::steady_clock;
    return [&stage, report, last = Clock::time_point()](const ProgressState& state) mutable {
        const auto now = Clock::now();
        if (now - last >= std::chrono::milliseconds(100)) {
            last = now;
            report(state);
        }
        return !stage.isCancelled();
    };
}

} // namespace trainscope::app
