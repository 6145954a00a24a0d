#pragma once
// A prediction of round numbers: a step of 4 s (3 to 5), half of it GEMM; two stages of 60 and 90
// GB on GPUs of 80 GB; a node of two GPUs; three layouts of a search, the second of which is a tie
// with the first; what another link or memory would do to 500 tokens/s; power over what was
// measured in four columns; and a second cluster.

#include "core/plot/comparison/support/DemoComparison.h"
#include "core/plot/layout/support/DemoSchedule.h"
#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/prediction/JobRequest.h"

#include <memory>
#include <utility>
#include <vector>

namespace trainscope::test {

// 500 W was measured in three columns of four; 510, 490, 540 and 500 W are predicted.
inline plot::PredictedTracks demoPredictedTracks() {
    const float none = plot::kNothing;
    plot::PredictedTrack power;
    power.axis = demoAxis("GPU power", "W", 600.0);
    power.axis.metric = "gpu_power";
    power.residualAxis = demoAxis("Residual", "W", 50.0);
    power.residualAxis.range.low = -50.0;
    power.measured = {{500.0F, 500.0F, 500.0F, none}, {490.0F, 490.0F, 490.0F, none},
        {510.0F, 510.0F, 510.0F, none}};
    power.predicted.mean = {510.0F, 490.0F, 540.0F, 500.0F};
    power.predicted.low = power.predicted.high = power.predicted.mean;
    power.residual = {10.0F, -10.0F, 40.0F, none};
    power.told = {40.0 / 3.0, 20.0, 40.0, 500.0, 2};
    return {"run", "one step", std::nullopt, {power}};
}

inline predict::Prediction demoStep(double seconds, double memoryB, double rate) {
    predict::Prediction made;
    made.seconds = made.step.seconds = seconds;
    made.low = seconds - 1.0;
    made.high = seconds + 1.0;
    made.spread.own = 0.01;
    made.memoryB = memoryB;
    made.intervals.memoryB = {memoryB, memoryB};
    made.tokensPerSecondPerGpu = rate;
    made.intervals.tokensPerSecondPerGpu = {rate, rate};
    made.energyJ = 8e3;
    made.intervals.energyJ = {7e3, 9e3};
    return made;
}

inline predict::Job demoJob(const char* layout) {
    predict::JobRequest request;
    request.model = *catalogue::modelCatalogue().byName("llama3-8b");
    request.cluster = predict::clusterFrom("8xH100").value();
    request.layout = predict::layoutFrom(layout).value();
    request.globalBatch = 16;
    return predict::jobOf(request).value();
}

inline plot::PredictedJob demoPredicted() {
    plot::PredictedJob job{"TP 8", demoJob("tp=4,pp=2"), demoStep(4.0, 90e9, 500.0)};
    predict::Prediction& made = job.prediction;
    made.step.breakdown[predict::StepPart::Gemm] = 2.0;
    made.step.breakdown[predict::StepPart::TensorParallel] = 1.0;
    made.step.breakdown[predict::StepPart::Bubble] = 1.0;
    made.mfu = 0.5;
    made.intervals.mfu = {0.4, 0.625};
    for (const int stage : {0, 1}) {
        analysis::StageNeed& need = made.memory.emplace_back();
        need.stage = stage;
        need.weights = 20e9;
        need.held = stage == 0 ? 40e9 : 70e9;
    }
    made.capacityB = 80e9;
    made.isOom = true;
    made.outlook.node = {{0, 600.0, 55.0}, {1, 600.0, 70.0}};
    made.step.schedule = *demoSchedule(false).plan;
    return job;
}

inline std::vector<predict::WhatIfRow> demoChanges() {
    std::vector<predict::WhatIfRow> rows{
        {predict::WhatIf::LinkBandwidth, 450e9, {}}, {predict::WhatIf::MemorySize, 80e9, {}}};
    rows[0].points = {{0.5, demoStep(5.0, 60e9, 400.0), {}}, {2.0, demoStep(3.6, 60e9, 550.0), {}}};
    rows[1].points = {{0.5, {}, {}}, {2.0, demoStep(4.0, 60e9, 500.0), {}}};
    rows[1].points[0].made.isOom = true;
    return rows;
}

// 4 s and 60 GB, 4.01 s, which is a tie with them, and 5 s and 50 GB.
inline predict::SearchResult demoSearch() {
    predict::SearchResult found;
    const auto add = [&found](const char* layout, predict::Prediction made) {
        predict::Job job = demoJob(layout);
        const predict::LayoutChoice choice = predict::choiceOf(job);
        found.top.push_back({choice, std::move(job), std::move(made), 1e4});
    };
    add("tp=8", demoStep(4.0, 60e9, 500.0));
    add("tp=2", demoStep(4.01, 61e9, 498.0));
    add("tp=4", demoStep(5.0, 50e9, 400.0));
    found.apart = {found.top[0], found.top[2]};
    found.feasible.resize(3);
    found.searched = 3;
    return found;
}

inline plot::PredictionFigureData demoPrediction() {
    plot::PredictionFigureData data;
    data.title = "Prediction · demo";
    data.caption = "Predicted, not measured.";
    takeAsked(std::make_shared<const plot::PredictedJob>(demoPredicted()), data);
    data.measured = plot::MeasuredStep{{}, "measured", 4.4};
    data.training.tokens = 1e12;
    data.found = std::make_shared<const predict::SearchResult>(demoSearch());
    data.whatIf = demoChanges();
    data.tracks = std::make_shared<const plot::PredictedTracks>(demoPredictedTracks());
    data.rival = std::make_shared<const plot::ComparisonData>(demoComparison());
    return data;
}

} // namespace trainscope::test
