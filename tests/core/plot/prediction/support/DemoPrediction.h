#pragma once
// A prediction of round numbers: a step of 4 s (3 to 5), half of it GEMM; two stages of 60 and 90
// GB on GPUs of 80 GB; a node of two GPUs; three layouts of a search, of which two are ranked; what
// another link or memory would do to 500 tokens/s; power over what was measured in four columns; a
// second cluster; and the decision in words.

#include "core/plot/comparison/support/DemoComparison.h"
#include "core/plot/layout/support/DemoSchedule.h"
#include "core/plot/prediction/PredictionFigure.h"

#include <memory>

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

inline plot::PredictedDecision demoDecision() {
    plot::PredictedDecision decision;
    decision.answer = "TP 8";
    decision.job = "demo on 8 × H200";
    decision.reasons = {"1T tokens take 41 days.", "A step takes 4 s."};
    decision.choices.caption = "those that differ first";
    decision.choices.heads = {"Layout", "Step", "Memory"};
    decision.choices.rows = {{{"1  TP 8", "4 s (3 to 5)", "60 GB"}, true, false},
        {{"2  TP 4", "5 s (4 to 6)", "50 GB"}, false, false},
        {{"= 1  TP 2", "4.1 s", "61 GB"}, false, true}};
    decision.changes.caption = "predicted anew";
    decision.changes.heads = {"If it were otherwise", "now", "half of it", "twice of it"};
    decision.changes.rows = {{{"Link bandwidth", "450 GB/s", "5 s", "3.6 s"}, false, false},
        {{"Memory size", "80 GB", "does not fit", "4 s"}, false, false}};
    decision.sources = {"Step: from formulas."};
    return decision;
}

inline plot::PredictionFigureData demoPrediction() {
    plot::PredictionFigureData data;
    data.title = "Prediction · demo";
    data.caption = "Predicted, not measured.";
    data.decision = demoDecision();
    data.cards = {{"Time of the training", "training_time", "s", {3542400.0, 3.2e6, 4e6},
                      "1T tokens", false, "41 days", "37 to 46.3 days"},
        {"Step time", "step_time", "s", {4.0, 3.0, 5.0}, {}},
        {"MFU", "mfu", "%", {0.5, 0.4, 0.625}, {}},
        {"Memory of a GPU", "memory", "B", {90e9, {}, {}}, "out of memory: the GPU has 80 GB",
            true}};
    data.steps = {{"measured", {4.4, {}, {}}, {}, true, false},
        {"TP 8", {4.0, 3.0, 5.0},
            {{"gemm", "GEMM", 2.0}, {"tensor_parallel", "Tensor parallel", 1.0},
                {"bubble", "Bubble", 1.0}},
            false, true}};
    data.stages = {{0, {{"weights", "Weights", 20e9}, {"activations", "Activations", 40e9}}},
        {1, {{"weights", "Weights", 20e9}, {"activations", "Activations", 70e9}}}};
    data.capacityB = 80e9;
    data.node = {{0, 600.0, 55.0}, {1, 600.0, 70.0}};
    data.schedule = demoSchedule(false);
    data.schedule->unit = "s";
    data.schedule->caption = "1F1B, 2 stages";
    data.front = {"Energy of a step", "J",
        {{"TP 8", {4.0, 3.0, 5.0}, 9e3, true, true}, {"TP 4", {5.0, 4.0, 6.0}, 8e3, true, false},
            {"TP 2", {6.0, {}, {}}, 9.5e3, false, false}}};
    data.ranking = {{"TP 8", {4.0, 3.0, 5.0}, 9e3, 1e4, 60e9, 500.0, true, true},
        {"TP 4", {5.0, 4.0, 6.0}, 8e3, 9e3, 50e9, 400.0, false, false}};
    data.rate = 500.0;
    data.sensitivities = {{"link_bandwidth", "Link bandwidth", "450 GB/s",
                              {{0.5, {400.0, 300.0, 500.0}}, {0.8, {450.0, 350.0, 550.0}},
                                  {1.25, {525.0, 425.0, 625.0}}, {2.0, {550.0, 450.0, 650.0}}},
                              -0.2},
        {"memory_size", "Memory size", "80 GB",
            {{0.5, {500.0, {}, {}}, true}, {2.0, {500.0, 400.0, 600.0}}}, 0.0}};
    data.tracks = std::make_shared<const plot::PredictedTracks>(demoPredictedTracks());
    data.rival = std::make_shared<const plot::ComparisonData>(demoComparison());
    return data;
}

} // namespace trainscope::test
