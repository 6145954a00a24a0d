#pragma once
// The constants of power and heat of a kind of GPU from several measured runs (MeasuredRuns.h).
// Pure; any thread.

#include "core/predict/prediction/MeasuredRuns.h"

#include <optional>
#include <vector>

namespace trainscope::predict {

// Absent where no run tells more than the catalogue.
std::optional<PowerBasis> fittedBasis(const catalogue::GpuModel& model,
    const std::vector<const MeasuredRun*>& runs, const Predictor& predictor);

// Factor on the power beyond idle of all work, with which the job, played in its measured seconds,
// draws the measured mean power. Where the power limit holds it, the factor is fitted to the
// measured clock. Absent where neither is known or no factor does.
std::optional<double> demandFactor(
    const MeasuredRun& run, const PowerBasis& basis, const Predictor& predictor);

} // namespace trainscope::predict
