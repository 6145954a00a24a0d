#pragma once
// Measures of runs as they would have been found, and ways to spoil them.

#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/comparison/Verdict.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace trainscope::test {

inline void set(RunMeasures& run, std::string_view key, std::optional<double> value,
    double noise = 0.0, std::int64_t count = 10) {
    const std::size_t at = quantityIndex(key).value();
    run.values[at] = value
        ? std::optional(Measure{*value, Spread{count, *value, noise * std::abs(*value), 0.0}})
        : std::nullopt;
    run.absentWhy[at] = value ? "" : "It was taken away.";
}

// A step of that length and power on that many GPUs; all of its figures follow.
struct Plan {
    std::string name;
    std::string gpu = "H200 SXM";
    int gpus = 32;
    int perNode = 8;
    double memory = 141e9;
    double flops = 989e12;
    double stepS = 8.0;
    double wattsPerGpu = 600.0;
    double noise = 0.005; // std. dev. / mean over the iterations
    std::int64_t iterations = 10;
};

inline void setStep(RunMeasures& run, const Plan& plan) {
    const double tokens = *run.tokensPerStep;
    const double watts = plan.wattsPerGpu * plan.gpus;
    const auto with = [&](std::string_view key, double value) {
        set(run, key, value, plan.noise, plan.iterations);
    };
    with("step_time_s", plan.stepS);
    with("tokens_per_s", tokens / plan.stepS);
    with("tokens_per_s_per_gpu", tokens / plan.stepS / plan.gpus);
    with("energy_per_step_j", watts * plan.stepS);
    with("tokens_per_j", tokens / (watts * plan.stepS));
    with("mean_power_w", watts);
    with("peak_power_w", watts * 1.2);
}

inline RunMeasures measured(const Plan& plan) {
    RunMeasures run;
    run.values.assign(comparedQuantities().size(), std::nullopt);
    run.absentWhy.assign(comparedQuantities().size(), "Not planted.");
    run.run.id = {static_cast<std::int64_t>(std::hash<std::string>{}(plan.name) % 1000 + 1)};
    run.run.name = plan.name;
    run.gpus = plan.gpus;
    run.nodes = plan.gpus / plan.perNode;
    run.gpu = {plan.gpu, "recorded", plan.memory, plan.flops, 700.0, {}};
    run.cluster = std::to_string(plan.gpus) + " × " + plan.gpu;
    auto& launch = run.run.launch;
    launch.model = "gpt3-175b";
    launch.precision = "bf16";
    launch.workload = Workload::Training;
    launch.globalBatch = 128;
    launch.microBatch = 1;
    launch.sequenceLength = 2048;
    layout::LayoutRequest request;
    request.worldSize = plan.gpus;
    request.gpusPerNode = plan.perNode;
    request.tensor = 8;
    request.pipeline = plan.gpus / 8;
    if (auto layout = layout::makeLayout(request); layout.hasValue())
        run.layout = std::move(layout).value();
    run.tokensPerStep = 128.0 * 2048.0;
    setStep(run, plan);
    return run;
}

// As in the published study: few large GPUs against twice as many smaller ones.
inline Plan few() {
    return {"few"};
}
inline Plan many() {
    return {"many", "H100 SXM5", 64, 8, 80e9, 989e12, 5.0};
}

inline const Statement* find(const Verdict& verdict, std::string_view quantity) {
    const auto found = std::find_if(verdict.statements.begin(), verdict.statements.end(),
        [&](const Statement& one) { return one.quantity == quantity; });
    return found == verdict.statements.end() ? nullptr : &*found;
}

inline bool mentions(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

inline bool isAbout(std::optional<double> value, double expected) {
    return value && std::abs(*value - expected) <= 1e-9 * std::abs(expected);
}

// A trace of whole steps: shares of the step, and what is exposed between nodes.
inline void trace(RunMeasures& run, double exposed, double idle, double betweenNodes) {
    TraceMeasures traced;
    traced.basis = TraceBasis::Iterations;
    traced.shares.exposedCommunication = exposed;
    traced.shares.idle = idle;
    traced.all.seconds = *run.value("step_time_s");
    traced.exposed
        = {{"pp", LinkClass::ScaleOut, "send_recv", betweenNodes * traced.all.seconds, {}},
            {"tp", LinkClass::ScaleUp, "all_reduce", (exposed - betweenNodes) * traced.all.seconds,
                {}}};
    run.traced = traced;
    set(run, "exposed_communication_fraction", exposed);
}

} // namespace trainscope::test
