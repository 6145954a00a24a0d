#pragma once
// What predictions are made with besides the constants that Trainscope comes with: measured runs
// that these are fitted to, and samples of operators.

#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::cli {

struct KnownCosts {
    std::vector<predict::MeasuredJob> measured;
    std::optional<predict::Calibration> calibration; // by these
    std::shared_ptr<const predict::ProfiledCosts> profile; // may be absent

    [[nodiscard]] predict::Predictor predictor() const;
    // Where the profile has one fabric for the cluster's GPU, the cluster is taken to be there.
    void placeAtSite(predict::ClusterRequest& cluster) const;
    // How far rows of a source are off when each is predicted from the others.
    [[nodiscard]] std::map<std::string, double> leftOutErrors() const;
};

// Of a table of runs and a profile that the user names; neither for empty paths. Unrecognised where
// no row says enough.
Result<KnownCosts> readKnownCosts(const std::string& table, const std::string& profile);

} // namespace trainscope::cli
