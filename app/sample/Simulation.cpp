#include "app/sample/Simulation.h"

#include "core/layout/Schedule.h"

namespace trainscope::app::sample {

namespace {

std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}

// Forward time of a micro-batch on a stage: 2 · 175e9 parameters · 2 samples of 2048 tokens,
// divided by the GPUs of the run, at 42 or 43 % of the dense bf16 peak (989 TFLOP/s); the backward
// pass takes twice as long.
constexpr double forwardSeconds(int gpus, double utilization) {
    return 2.0 * 175e9 * kMicroBatch * kSequence
        / (static_cast<double>(gpus) * 989e12 * utilization);
}

// Fraction of [begin, end) that those of the works take which count.
template <typename Counts>
double fractionOf(
    const std::vector<StageWork>& works, double begin, double end, const Counts& counts) {
    auto work = std::partition_point(
        works.begin(), works.end(), [begin](const StageWork& w) { return w.end <= begin; });
    double taken = 0.0;
    for (; work != works.end() && work->begin < end; ++work) {
        if (counts(*work))
            taken += std::min(end, work->end) - std::max(begin, work->begin);
    }
    return taken / (end - begin);
}

} // namespace

double noise(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t bits = mix(mix(seed ^ mix(a)) ^ b) >> 11U;
    return static_cast<double>(bits) * 0x1p-52 - 1.0;
}

double ClusterParameters::pace(int rank) const {
    const bool isRear = rank % gpusPerNode >= gpusPerNode / 2;
    return (isRear ? 0.965 : 0.935) + 0.01 * noise(seed, 41, static_cast<std::uint64_t>(rank));
}

double ClusterParameters::clockOffset(int node) const {
    return node == 0 ? 0.0 : 400e-6 * noise(seed, 42, static_cast<std::uint64_t>(node));
}

ClusterParameters h200Cluster() {
    ClusterParameters cluster;
    cluster.runName = "gpt3-175b 32xH200 tp8-pp4";
    cluster.gpuModel = "NVIDIA H200";
    cluster.nodes = 4;
    cluster.forwardSeconds = forwardSeconds(32, 0.43);
    cluster.optimizerSeconds = 0.42;
    cluster.busyWatts = 688.0;
    cluster.idleWatts = 118.0;
    cluster.memoryClockMHz = 3201.0;
    cluster.memoryUsedMiB = 118'400.0;
    cluster.inletCelsius = 28.0;
    cluster.rearPreheatCelsius = 23.5;
    cluster.hotNode = 2;
    cluster.seed = 0x5175B200;
    return cluster;
}

ClusterParameters h100Cluster() {
    ClusterParameters cluster;
    cluster.runName = "gpt3-175b 64xH100 tp8-pp8";
    cluster.gpuModel = "NVIDIA H100 80GB HBM3";
    cluster.nodes = 8;
    cluster.forwardSeconds = forwardSeconds(64, 0.415);
    cluster.optimizerSeconds = 0.30;
    cluster.busyWatts = 672.0;
    cluster.idleWatts = 104.0;
    cluster.memoryClockMHz = 2619.0;
    cluster.memoryUsedMiB = 70'900.0;
    cluster.inletCelsius = 30.5;
    cluster.rearPreheatCelsius = 25.5;
    cluster.hotNode = 5;
    cluster.seed = 0x5175B100;
    return cluster;
}

double PipelineRun::busyFraction(int stage, double begin, double end) const {
    return fractionOf(
        stages[static_cast<std::size_t>(stage)], begin, end, [](const StageWork&) { return true; });
}

double PipelineRun::passFraction(int stage, double begin, double end) const {
    return fractionOf(stages[static_cast<std::size_t>(stage)], begin, end,
        [](const StageWork& work) { return work.kind != StageWork::Kind::Optimizer; });
}

PipelineRun simulatePipeline(const ClusterParameters& cluster) {
    const double forward = cluster.forwardSeconds;
    const auto iteration = layout::makeSchedule(
        {layout::ScheduleKind::OneForwardOneBackward, cluster.stages(), kMicrobatches, 1,
            {{forward, forward, forward}}, kHandOverSeconds})
                               .value();
    const double passesEnd = iteration.makespan;
    const double step = passesEnd + cluster.optimizerSeconds;
    PipelineRun run;
    run.stages.resize(static_cast<std::size_t>(cluster.stages()));
    constexpr double kFirstStep = 3.0; // data loading before the first iteration
    for (double begin = kFirstStep; begin + step < kRunSeconds; begin += step) {
        run.iterations.push_back({begin, begin + step});
        for (const layout::ScheduleTask& task : iteration.tasks)
            run.stages[static_cast<std::size_t>(task.stage)].push_back(
                {task.kind == layout::TaskKind::Forward ? StageWork::Kind::Forward
                                                        : StageWork::Kind::Backward,
                    task.microbatch, task.start + begin, task.end + begin});
        for (auto& works : run.stages)
            works.push_back({StageWork::Kind::Optimizer, 0, begin + passesEnd,
                begin + kOptimizerBusy * cluster.optimizerSeconds + passesEnd});
    }
    return run;
}

} // namespace trainscope::app::sample
