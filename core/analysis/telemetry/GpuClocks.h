#pragma once
// SM clocks of a run's GPUs in stretches of time, so that one can be held against the others', and
// what held one back. SI; times on each rank's own clock. One thread.

#include "core/analysis/RunStudy.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

// Smaller differences of clocks tell nothing: they are a step of the clock.
inline constexpr double kLeastClockLack = 0.01;

class GpuClocks {
public:
    // Of the traced ranks with a clock, while they were traced: 16 B a reading. Refers to the
    // study.
    static Result<GpuClocks> open(const RunStudy& study);

    // Each reading holds until the next; absent where none does.
    [[nodiscard]] std::optional<double> meanHz(int rank, TimeRange range) const;
    // Of the episodes of throttling in the range that which holds longest; Other without one.
    Result<ThrottleCause> causeIn(int rank, TimeRange range);
    [[nodiscard]] bool isEmpty() const { return m_readings.empty(); }

private:
    explicit GpuClocks(const RunStudy& study)
        : m_study(&study) { }
    Status read(int rank, SeriesId series, TimeRange traced);
    Status findEpisodes();

    const RunStudy* m_study;
    std::map<int, std::vector<store::Sample>> m_readings; // by rank
    std::optional<std::map<int, std::vector<ThrottleEpisode>>> m_episodes; // once asked for
};

} // namespace trainscope::analysis
