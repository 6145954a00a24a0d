#pragma once
// What throttling costs a job whose GPUs wait for each other: at each moment the largest share of
// clock that any of them lacks.

#include "core/analysis/telemetry/ThrottleScan.h"

#include <vector>

namespace trainscope::analysis {

// ∫ max over GPUs of (1 − clock / reference clock) dt over the episodes, each at its mean; s.
// In order of time.
double lostToSlowest(const std::vector<RankEpisode>& episodes);

} // namespace trainscope::analysis
