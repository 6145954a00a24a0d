#pragma once
// A comparison made by hand, for geometry and drawing: two runs, A on one node of four GPUs, B on
// two.

#include "core/plot/comparison/Comparison.h"
#include "core/plot/figures/support/DemoFigures.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

inline plot::ComparedRun demoRun(std::size_t index, std::string cluster) {
    plot::ComparedRun run;
    run.mark = std::string(1, static_cast<char>('A' + index));
    run.color = index;
    run.named.id = RunId{static_cast<std::int64_t>(index) + 1};
    run.named.name = "run-" + run.mark;
    run.named.label = run.named.name;
    run.named.cluster = std::move(cluster);
    return run;
}

// The mean power: a ± 1 and b ± 2 of 100 W, over 8 iterations; better is less. Or another quantity.
inline plot::ComparisonQuantity demoQuantity(double a, double b,
    analysis::Difference::Weight weight, std::string_view key = "mean_power_w") {
    plot::ComparisonQuantity quantity;
    quantity.index = analysis::quantityIndex(key).value();
    quantity.axis = demoAxis("Mean power", "W", 100.0);
    quantity.isCard = true;
    quantity.measures = {analysis::Measure{a, analysis::Spread{8, a, 1.0}},
        analysis::Measure{b, analysis::Spread{8, b, 2.0}}};
    quantity.whyAbsent.resize(2);
    quantity.changes.resize(2);
    quantity.changes[1] = {quantity.index, a, b, b / a, weight, "8 and 8 iterations, 95 %"};
    return quantity;
}

// A: 10 s at 100; B: 5 s at 200. Twenty columns of half a second; beyond the spread in the first
// five.
inline plot::ComparisonCurves demoCurves() {
    constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
    plot::ComparisonCurves curves;
    curves.axis = demoAxis("GPU power", "W", 400.0);
    curves.axis.metric = "gpu_power";
    curves.differenceAxis = demoAxis("Difference", "W", 200.0);
    curves.step = 0.5;
    curves.columns = 20;
    curves.isFolded = true;
    curves.wording = "mean and 5–95 % band";
    for (std::size_t run = 0; run < 2; ++run) {
        plot::ComparisonCurves::Curve curve;
        curve.run = run;
        curve.seconds = run == 0 ? 10.0 : 5.0;
        curve.iterations = 8;
        curve.range = {{1'000'000'000}, {run == 0 ? 11'000'000'000 : 6'000'000'000}};
        for (int i = 0; i < curves.columns; ++i) {
            const bool known = run == 0 || i < 10;
            const float level = run == 0 ? 100.0F : 200.0F;
            curve.mean.push_back(known ? level : kNothing);
            curve.low.push_back(known ? level - 50.0F : kNothing);
            curve.high.push_back(known ? level + 50.0F : kNothing);
            curve.spread.push_back(known ? 1.0F : kNothing);
        }
        curves.curves.push_back(std::move(curve));
    }
    plot::ComparisonCurves::Difference difference;
    difference.run = 1;
    for (int i = 0; i < curves.columns; ++i) {
        difference.values.push_back(i < 10 ? 100.0F : kNothing);
        difference.beyond.push_back(i < 5 ? 1 : 0);
    }
    curves.differences.push_back(std::move(difference));
    return curves;
}

inline plot::ComparisonData demoComparison() {
    plot::ComparisonData data;
    data.title = "gpt3-175b";
    data.caption = "A: iterations 2 to 9.";
    data.notes = {"B has no trace of its host."};
    data.runs = {demoRun(0, "4 × H200"), demoRun(1, "8 × H100")};
    data.verdict = plot::ComparisonVerdict{"Scale-up wins per joule", true,
        {"4xH200 spends 0.41 J a token, B 0.57 J.", "Second reason.", "Third reason.",
            "Fourth reason.", "Fifth reason of 5."}};
    data.quantities = {demoQuantity(40.0, 80.0, analysis::Difference::Weight::Beyond)};
    data.stacks = {
        {0, std::nullopt, 10.0, {{"gemm", "GEMM", 6.0}, {"all_reduce", "AllReduce exposed", 4.0}}},
        {1, std::nullopt, 5.0, {{"gemm", "GEMM", 4.0}, {"idle", "Idle", 1.0}}},
        {1, 0, 5.0, {{"gemm", "GEMM", 5.0}}}};
    data.kernels
        = {{"void gemm<float>(int)", "gemm", {2.0, 1.0}}, {"nccl", "all_reduce", {1.0, {}}}};
    data.configuration = {{"gpus", "GPUs", {"4", "8"}}};
    data.curves = demoCurves();
    return data;
}

} // namespace trainscope::test
