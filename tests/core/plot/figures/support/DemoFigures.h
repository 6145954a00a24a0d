#pragma once
// Figures made by hand, for geometry and drawing.

#include "core/plot/figures/Figure.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline plot::FigureAxis demoAxis(
    std::string title, std::string unit, double high, double scale = 1.0) {
    plot::FigureAxis axis;
    axis.title = std::move(title);
    axis.siUnit = unit;
    axis.unit = {std::move(unit), scale};
    axis.range = {0.0, high};
    return axis;
}

// `panels` panels of mean, peak and efficiency over `places` places in groups of four; the third
// place of every eight is out of memory. Values of place i: mean 100 + i, peak 150 + i.
inline plot::FigureData demoSweep(std::size_t panels, std::size_t places) {
    plot::FigureData data;
    data.title = "By parallel layout · gpt3-175b";
    data.caption = "Over the steady part of each run; warm-up and unsettled time are left out.";
    plot::FigurePanel panel;
    plot::FigureSet mean{"average", "mean", plot::SetRole::Mean, {}};
    plot::FigureSet peak{"peak", "peak", plot::SetRole::Peak, {}};
    plot::FigureSet efficiency{"efficiency", "samples_per_s_per_mj", plot::SetRole::Efficiency, {}};
    for (std::size_t i = 0; i < places; ++i) {
        plot::FigureRun run;
        run.id = RunId{static_cast<std::int64_t>(i) + 1};
        run.name = "run " + std::to_string(i);
        run.label = run.name;
        data.runs.push_back(run);
        plot::FigureCategory category;
        category.label = "TP" + std::to_string(1U << (i % 5)) + "-PP" + std::to_string(i % 32);
        category.group = "model " + std::to_string(i / 4);
        category.run = i;
        category.outOfMemory = i % 8 == 2;
        panel.categories.push_back(category);
        const bool isKnown = !category.outOfMemory;
        const auto k = static_cast<double>(i);
        const auto known
            = [isKnown](double value) { return isKnown ? std::optional(value) : std::nullopt; };
        mean.values.push_back(known(100.0 + k));
        peak.values.push_back(known(150.0 + k));
        efficiency.values.push_back(known(2.0 + 0.1 * k));
    }
    panel.sets = {mean, peak, efficiency};
    panel.left = demoAxis("GPU power", "W", 200.0 + static_cast<double>(places));
    panel.right = demoAxis("efficiency", "samples/(s·MJ)", 4.0 + 0.2 * static_cast<double>(places));
    for (std::size_t i = 0; i < panels; ++i)
        data.panels.push_back(panel);
    return data;
}

// Stacks of three categories by stage, of two runs.
inline plot::FigureData demoStages(std::size_t stages) {
    plot::FigureData data;
    data.title = "Kernel time by pipeline stage";
    plot::FigurePanel& panel = data.panels.emplace_back();
    panel.left = demoAxis("kernel time per iteration, mean of the ranks", "ms", 0.02, 1000.0);
    for (const char* key : {"gemm", "all_reduce", "send_recv"})
        panel.sets.push_back({key, key, plot::SetRole::KernelCategory, {}});
    for (int microBatch : {1, 4}) {
        plot::FigureRun run;
        run.id = RunId{microBatch};
        run.name = "mbs" + std::to_string(microBatch);
        for (std::size_t i = 0; i < stages; ++i) {
            plot::FigureCategory category;
            category.label = std::to_string(i);
            category.group = "mbs " + std::to_string(microBatch);
            category.run = data.runs.size();
            category.stage = static_cast<int>(i);
            panel.categories.push_back(category);
            for (auto& set : panel.sets)
                set.values.push_back(0.001 * microBatch + 0.0001 * static_cast<double>(i));
        }
        data.runs.push_back(run);
    }
    return data;
}

} // namespace trainscope::test
