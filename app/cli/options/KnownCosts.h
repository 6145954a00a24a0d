#pragma once
// What predictions are made with besides the constants that Trainscope comes with: measured runs
// that these are fitted to, and samples of operators.

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
    // Where the profile has one fabric for the cluster's GPU, the cluster is taken to be there.
    void placeAtSite(predict::ClusterRequest& cluster) const;
};

// Of measured runs and a profile that the user names; neither for empty paths.
Result<KnownCosts> readKnownCosts(
    const CalibrationFiles& files, const std::string& profile, const Console& console);

} // namespace trainscope::cli
