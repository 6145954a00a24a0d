#pragma once
// Costs that the user adds to the constants that Trainscope comes with: measured runs that the
// constants are fitted to, and samples of operators.

#include "app/cli/options/CalibrationInput.h"
#include "core/predict/prediction/JobRequest.h"

#include <memory>
#include <optional>
#include <string>

namespace trainscope::cli {

struct KnownCosts {
    std::optional<predict::RunCalibration> calibration;
    std::shared_ptr<const predict::ProfiledCosts> profile; // may be absent

    [[nodiscard]] predict::Predictor predictor() const;
    // Takes the cluster to be where the profile was measured, if the profile has one fabric for its
    // GPU.
    void placeAtSite(predict::ClusterRequest& cluster) const;
};

// Reads measured runs and a profile; empty paths give neither.
Result<KnownCosts> readKnownCosts(
    const CalibrationFiles& files, const std::string& profile, const Console& console);

} // namespace trainscope::cli
