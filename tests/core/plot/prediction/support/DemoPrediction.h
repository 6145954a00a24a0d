#pragma once
// A prediction of round numbers: a step of 4 s (3 to 5), half of it GEMM; two stages of 60 and 90
// GB on GPUs of 80 GB; a node of two GPUs; three layouts of a search.

#include "core/plot/layout/support/DemoSchedule.h"
#include "core/plot/prediction/PredictionFigure.h"

namespace trainscope::test {

inline plot::PredictionFigureData demoPrediction() {
    plot::PredictionFigureData data;
    data.title = "Prediction · demo";
    data.caption = "Predicted, not measured.";
    data.cards = {{"Step time", "step_time", "s", {4.0, 3.0, 5.0}, {}},
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
    return data;
}

} // namespace trainscope::test
