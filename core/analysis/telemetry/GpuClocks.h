#pragma once
// SM clocks of a run's GPUs while they were traced, and what held them back. SI; times on each
// rank's own clock; 16 B a reading. One thread.

#include "core/analysis/RunStudy.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

class GpuClocks {
public:
    // Refers to the study.
    static Result<GpuClocks> open(const RunStudy& study);

    // Each reading holds until the next; absent where none does.
    [[nodiscard]] std::optional<double> meanHz(int rank, TimeRange range) const;
    // Of the episodes of throttling in the range that which holds longest; Other without one.
    Result<ThrottleCause> causeIn(int rank, TimeRange range);

private:
    explicit GpuClocks(const RunStudy& study)
        : m_study(&study) { }
    Status read(const Series& clock, TimeRange traced);

    const RunStudy* m_study;
    std::map<int, std::vector<store::Sample>> m_readings; // by rank
    std::optional<std::vector<RankEpisode>> m_episodes; // once asked for
};

} // namespace trainscope::analysis
