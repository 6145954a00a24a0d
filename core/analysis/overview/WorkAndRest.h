#pragma once
// Power while GPUs work and while they rest, where no trace tells the two apart: at rest the
// utilisation is below kRestUtilization; where it was not recorded, readings are in the lower half
// of all, and the mean of the upper half is kLevelsApart times that of the lower one. Held from
// sample to sample. Without power of GPUs that of the nodes.

#include "core/analysis/RunStudy.h"
#include "core/analysis/statistics/Means.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

inline constexpr double kRestUtilization = 0.05;
inline constexpr double kLevelsApart = 2.0;

struct SubjectWork {
    std::string name; // "rank 3", "node 0"
    TimeSum work; // W
    TimeSum rest;
    [[nodiscard]] double workShare() const; // share of the recorded time
};
struct WorkAndRest {
    bool isByUtilization = false;
    bool isOfNodes = false;
    std::vector<SubjectWork> subjects; // one at least
    [[nodiscard]] SubjectWork together() const;
};

// Absent where the two cannot be told apart. Cancelled by progress.
Result<std::optional<WorkAndRest>> workAndRestOf(const RunStudy& study);

} // namespace trainscope::analysis
