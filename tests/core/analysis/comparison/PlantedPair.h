#pragma once
// Small databases in which everything that a comparison has to find is planted.

#include "core/analysis/traces/PlantedRun.h"
#include "core/store/Fixture.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace trainscope::test {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;
inline constexpr std::int64_t kPairStart = 1'700'000'000 * kSecondNs;

struct PlantedSide {
    std::string name;
    std::string gpuModel = "NVIDIA H200";
    int gpus = 4;
    int perNode = 4;
    double stepS = 2.0;
    double stepNoiseS = 0.0; // std. dev.
    int iterations = 12;
    int warmup = 2; // the first of these, twice as long
    int earlySteps = 0; // after these, of earlyStepS each, while the GPUs heat up by 20 °C
    double earlyStepS = 1.5;
    double watts = 500.0; // each GPU
    double pauseS = 0.0; // behind each iteration
    double pauseWatts = 100.0; // then
    double celsius = 60.0;
    double clockHz = 1.9e9;
    double slowClockHz = 1.9e9; // in the first throttledShare of each iteration, at 88 °C
    double throttledShare = 0.0;
    // Parts of each traced iteration, in this order: compute, exposed all-reduce of all ranks,
    // exposed all-reduce in nodes, idle.
    double computeShare = 1.0;
    double betweenNodesShare = 0.0;
    double inNodesShare = 0.0;
    bool isTraced = false;
    bool saysGroups = true; // its collectives have arguments
    bool hasPower = true;
    bool isPartTraced = false; // the last iteration has its compute alone
    int networkNodes = 0; // they count 1000 B/s sent over InfiniBand
    RunStatus status = RunStatus::Ok;
    RunKind kind = RunKind::Measured;
    LaunchConfig launch;
    unsigned seed = 1;

    PlantedSide() {
        launch.model = "gpt3-175b";
        launch.precision = "bf16";
        launch.workload = Workload::Training;
        launch.globalBatch = 16;
        launch.microBatch = 1;
        launch.sequenceLength = 1000;
        launch.origin = "planted.yaml";
    }
    [[nodiscard]] int nodes() const { return gpus / perNode; }
};

namespace detail {

struct Steps {
    std::vector<TimeRange> ranges;
    TimeRange all;
};

inline Steps stepsOf(const PlantedSide& side) {
    std::mt19937 random(side.seed);
    std::normal_distribution<double> noise(0.0, 1.0);
    Steps steps;
    std::int64_t at = kPairStart + kSecondNs;
    for (int i = 0; i < side.iterations; ++i) {
        const bool isEarly = i >= side.warmup && i < side.warmup + side.earlySteps;
        const double usual = isEarly ? side.earlyStepS : side.stepS;
        const double length
            = (i < side.warmup ? 2.0 : 1.0) * usual + side.stepNoiseS * noise(random);
        const std::int64_t end = at + std::llround(length * 1e9);
        steps.ranges.push_back({{at}, {end}});
        at = end + std::llround(side.pauseS * 1e9);
    }
    steps.all = {{kPairStart}, {at + kSecondNs}};
    return steps;
}

// A value each 50 ms.
template <typename ValueAt>
void addSeries(PlantedTrace& trace, const Steps& steps, const char* metric, Subject subject,
    ValueAt&& valueAt) {
    constexpr std::int64_t kPeriod = kSecondNs / 20;
    std::vector<double> values;
    for (TimeNs t = steps.all.begin; t <= steps.all.end; t = t + DurationNs{kPeriod})
        values.push_back(valueAt(t));
    trace.series(metric, std::move(subject), steps.all.begin.ns, kPeriod, std::move(values));
}

inline double wattsAt(const PlantedSide& side, const Steps& steps, TimeNs t) {
    const bool isInStep = std::any_of(steps.ranges.begin(), steps.ranges.end(),
        [t](const TimeRange& step) { return step.contains(t); });
    return isInStep || side.pauseS <= 0.0 ? side.watts : side.pauseWatts;
}

// True where the moment lies in the throttled part of an iteration.
inline bool isThrottled(const PlantedSide& side, const Steps& steps, TimeNs t) {
    for (const TimeRange& step : steps.ranges) {
        if (step.contains(t))
            return static_cast<double>((t - step.begin).ns)
                < side.throttledShare * static_cast<double>(step.length().ns);
    }
    return false;
}

// Rising while the steps are early, and three steps more.
inline double celsiusAt(const PlantedSide& side, const Steps& steps, TimeNs t) {
    if (isThrottled(side, steps, t))
        return 88.0;
    const auto last = static_cast<std::size_t>(side.warmup + side.earlySteps + 3);
    if (side.earlySteps == 0 || last == 0 || last > steps.ranges.size())
        return side.celsius;
    const double whole = (steps.ranges[last - 1].end - steps.all.begin).seconds();
    const double left = (steps.ranges[last - 1].end - t).seconds() / whole;
    return side.celsius - 20.0 * std::clamp(left, 0.0, 1.0);
}

inline void addTrace(PlantedTrace& trace, const PlantedSide& side, const Steps& steps) {
    std::vector<int> all;
    for (int rank = 0; rank < side.gpus; ++rank)
        all.push_back(rank);
    for (int rank = 0; rank < side.gpus; ++rank) {
        const int first = rank / side.perNode * side.perNode;
        std::vector<int> own(all.begin() + first, all.begin() + first + side.perNode);
        const auto add
            = [&](const char* name, const std::string& detail, TimeNs from, double seconds) {
                  if (seconds <= 0.0)
                      return from;
                  const DurationNs length{std::llround(seconds * 1e9)};
                  trace.kernel(rank, "7", name, from.ns, length.ns, 0,
                      side.saysGroups ? detail : std::string());
                  return from + length;
              };
        for (const TimeRange& step : steps.ranges) {
            if (side.isPartTraced && step.begin != steps.ranges.back().begin)
                continue;
            const double length = step.length().seconds();
            TimeNs at = add("sm90_xmma_gemm_bf16", {}, step.begin, side.computeShare * length);
            if (side.isPartTraced)
                continue;
            const char* reduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
            at = add(reduce, collectiveDetail("allreduce", 1'000'000, "0", all), at,
                side.betweenNodesShare * length);
            at = add(reduce, collectiveDetail("allreduce", 1'000, std::to_string(first + 1), own),
                at, side.inNodesShare * length);
        }
    }
}

} // namespace detail

inline void plant(store::Store& store, const PlantedSide& side) {
    const detail::Steps steps = detail::stepsOf(side);
    PlantedTrace trace;
    Run& run = trace.run;
    run.name = side.name;
    run.gpuModel = side.gpuModel;
    run.status = side.status;
    run.kind = side.kind;
    run.launch = side.launch;
    run.launch.nodes = side.nodes();
    run.launch.gpusPerNode = side.perNode;
    run.worldSize = side.gpus;
    for (int rank = 0; rank < side.gpus; ++rank) {
        trace.gpus.push_back({rank, rank / side.perNode, rank % side.perNode, side.gpuModel, {}});
        const auto add = [&](const char* metric, auto&& valueAt) {
            detail::addSeries(trace, steps, metric, {SubjectKind::Gpu, rank, -1, {}}, valueAt);
        };
        if (side.hasPower)
            add("gpu_power", [&](TimeNs t) { return detail::wattsAt(side, steps, t); });
        add("gpu_temperature", [&](TimeNs t) { return detail::celsiusAt(side, steps, t); });
        add("sm_clock", [&](TimeNs t) {
            return detail::isThrottled(side, steps, t) ? side.slowClockHz : side.clockHz;
        });
        add("gpu_utilization", [](TimeNs) { return 0.95; });
    }
    for (int node = 0; node < side.networkNodes; ++node)
        detail::addSeries(trace, steps, "ib_tx", {SubjectKind::Link, -1, node, "mlx5_0"},
            [&](TimeNs t) { return static_cast<double>((t - steps.all.begin).ns) / 1e6; });
    for (std::size_t i = 0; i < steps.ranges.size(); ++i)
        trace.iterations.push_back(
            {static_cast<std::int64_t>(i), steps.ranges[i], -1, static_cast<int>(i) < side.warmup});
    if (side.isTraced)
        detail::addTrace(trace, side, steps);
    ok(trace.addTo(store, side.name));
}

// Half as many large GPUs, and twice as many smaller ones: of equal work per GPU and joule unless
// changed.
inline PlantedSide largeSide() {
    PlantedSide side;
    side.name = "large";
    return side;
}
inline PlantedSide smallSide() {
    PlantedSide side;
    side.name = "small";
    side.gpuModel = "NVIDIA H100 80GB HBM3";
    side.gpus = 8;
    side.stepS = 1.0;
    side.seed = 2;
    return side;
}

} // namespace trainscope::test
