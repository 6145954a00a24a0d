#pragma once
// Options of `predict`, and the requests that they make.

#include "app/cli/options/CalibrationInput.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::cli {

inline constexpr const char* kStacks
    = "megatron-lm, megatron-bridge, nemo-24.07, mlperf-nemo-24.10, mlperf-nemo-25.01, "
      "mlperf-nemo-25.04, torchtitan, mosaic, gpt-neox, pytorch, pytorch-compiled";

struct PredictOptions {
    std::string model;
    std::vector<std::string> clusters;
    std::string layout;
    std::optional<int> microBatch;
    int globalBatch = 0;
    std::optional<int> sequence;
    std::string precision; // bf16 where empty
    std::string recompute;
    std::string workload; // training where empty
    std::optional<int> generated;
    std::string adapters;
    std::string offload;
    std::string stack;
    bool unfusedAttention = false;
    std::string contextExchange; // a ring where empty
    std::string attentionPrecision; // 16 bits where empty
    bool graphs = false;
    std::optional<double> networkGbit;
    std::optional<double> powerLimitW;
    std::optional<double> clockMhz;
    std::string table;
    CalibrationFiles calibration;
    std::string leaveOut; // groups of the table's rows; empty: none
    std::string profile;
    std::string database; // that the prediction goes into
    std::string name; // of its run
    std::string from; // a database of the run whose job is predicted
    std::string run;
    bool search = false;
    bool whatIf = false;
    std::string objective = "time";
    std::size_t top = 10;
    double memoryShare = 1.0;
    std::optional<double> clusterPowerW;
    std::string tokens;
    std::string gpuHourPrice;
    std::string kwhPrice;
    predict::Reliability reliability;
    bool json = false;

    // Anything of the work that a run or a row of a table says itself.
    [[nodiscard]] bool sayWork() const;
    [[nodiscard]] bool sayTraining() const {
        return !tokens.empty() || !gpuHourPrice.empty() || !kwhPrice.empty()
            || reliability != predict::Reliability{};
    }
    // Limits that layouts are searched under.
    [[nodiscard]] bool sayLimits() const { return memoryShare != 1.0 || clusterPowerW.has_value(); }
};

// The cluster of that place. Usage names what cannot be read.
Result<predict::ClusterRequest> clusterRequestOf(const PredictOptions& options, std::size_t at);
// One job; Usage names what is missing or cannot be read.
Result<predict::JobRequest> jobRequestOf(const PredictOptions& options);
// Usage names what cannot be read, or does not go together with the workload.
Result<predict::TrainingAsked> trainingAskedOf(const PredictOptions& options, Workload workload);
// A layout, micro-batch or recomputation that is given is not searched.
Result<predict::SearchRequest> searchRequestOf(const PredictOptions& options);

} // namespace trainscope::cli
