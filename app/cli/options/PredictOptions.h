#pragma once
// Options of `predict`, and the requests that they make.

#include "app/cli/options/KnownCosts.h"
#include "core/figures/prediction/AskedJob.h"

#include <string>
#include <vector>

namespace trainscope::cli {

struct PredictOptions {
    figures::OptionValues asked; // for the job, a search of its layouts, and a training
    std::string table;
    CalibrationFiles calibration;
    std::string leaveOut; // groups of the table's rows; empty: none
    std::string profile;
    std::string database; // target of the prediction
    std::string name; // name of the predicted run
    std::string from; // a database of the run whose job is predicted
    std::string run;
    bool search = false;
    bool whatIf = false;
    bool json = false;

    [[nodiscard]] std::vector<std::string> clusters() const { return asked.all("cluster"); }
    // Limits that layouts are searched under.
    [[nodiscard]] bool sayLimits() const {
        return asked.has("memory-share") || asked.has("cluster-power");
    }
};

// Usage names the first text that cannot be read, whatever it would be needed for.
Status checkAsked(const figures::OptionValues& asked);
// One job, on the first cluster; Usage names what is missing or cannot be read.
Result<predict::JobRequest> jobRequestOf(const PredictOptions& options);
// The second cluster, with what is said of the first one's GPUs and network.
Result<predict::ClusterRequest> otherClusterOf(
    const PredictOptions& options, const predict::ClusterRequest& first);
// Usage names what cannot be read, or does not go together with the workload.
Result<predict::TrainingAsked> trainingAskedOf(const PredictOptions& options, Workload workload);
// A layout, micro-batch or recomputation that is given is not searched.
Result<predict::SearchRequest> searchRequestOf(const PredictOptions& options);

} // namespace trainscope::cli
