#include "core/analysis/replay/StepEnergy.h"

#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/TimeRanges.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

double secondsOfCategory(const DeviceSeconds& seconds, const std::string& category) {
    const auto found = seconds.find(category);
    return found == seconds.end() ? 0.0 : found->second;
}

// Work whose energy nobody knows may take so much of the time, before or after.
bool hasUnknownWork(const ChangeFacts& facts, const DeviceSeconds& seconds) {
    constexpr double kMost = 0.02;
    double all = 0.0;
    double unknown = 0.0;
    for (const auto& [category, s] : seconds) {
        all += s;
        unknown += facts.categories.contains(category) ? 0.0 : s;
    }
    return unknown > kMost * all;
}

// How the energy of a category changes; with the whole step where the graph has nothing of it.
double energyFactor(const std::string& category, const DeviceSeconds& before,
    const DeviceSeconds& after, double power, double stretch) {
    const double seconds = secondsOfCategory(before, category);
    return power * (seconds > 0.0 ? secondsOfCategory(after, category) / seconds : stretch);
}

} // namespace

DeviceSeconds deviceSeconds(const StepGraph& graph, const StepTimes& times) {
    constexpr double kSecond = 1e-9;
    std::vector<double> categories(graph.categories.size(), 0.0);
    std::map<std::pair<int, int>, std::vector<TimeRange>> busy;
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const auto iteration = static_cast<std::size_t>(operation.iteration);
        if (!isDeviceWork(operation) || operation.iteration < 0
            || !graph.iterations[iteration].counts)
            continue;
        const StepTrack& track = graph.tracks[operation.track];
        categories[operation.category]
            += static_cast<double>(times.end[i] - times.start[i]) * kSecond;
        busy[{track.rank, track.device}].push_back({{times.start[i]}, {times.end[i]}});
    }
    const auto steps = static_cast<double>(std::max<std::ptrdiff_t>(1,
        std::count_if(graph.iterations.begin(), graph.iterations.end(),
            [](const StepIteration& iteration) { return iteration.counts; })));
    DeviceSeconds seconds;
    for (std::size_t i = 0; i < categories.size(); ++i) {
        if (categories[i] > 0.0)
            seconds[graph.categories[i]] = categories[i] / steps;
    }
    const double stepS = meanStepSeconds(graph, times).value_or(0.0);
    double& idle = seconds["idle"];
    for (auto& [device, ranges] : busy)
        idle += std::max(0.0, stepS - lengthOf(united(std::move(ranges))).seconds() / steps);
    return seconds;
}

std::optional<EstimatedEnergy> changedEnergy(const ChangeFacts& facts, const DeviceSeconds& before,
    const Bounded<DeviceSeconds>& after, const std::map<std::string, Factors>& power,
    double stretch) {
    if (hasUnknownWork(facts, before) || hasUnknownWork(facts, after.likely))
        return {};
    EstimatedEnergy sum;
    Factors bounds = exactly(0.0);
    for (const auto& [category, energy] : facts.categories) {
        const auto found = power.find(category);
        const Factors factors = found == power.end() ? exactly(1.0) : found->second;
        const double likely = energyFactor(category, before, after.likely, factors.likely, stretch);
        sum += energy.part(likely);
        bounds.likely += likely * energy.joules;
        bounds.fast
            += energy.joules * energyFactor(category, before, after.fast, factors.fast, stretch);
        bounds.slow
            += energy.joules * energyFactor(category, before, after.slow, factors.slow, stretch);
    }
    const auto [low, high] = std::minmax({bounds.fast, bounds.likely, bounds.slow});
    const double below = std::hypot(sum.joules - sum.low, bounds.likely - low);
    const double above = std::hypot(sum.high - sum.joules, high - bounds.likely);
    return EstimatedEnergy{sum.joules, sum.joules - below, sum.joules + above};
}

} // namespace trainscope::analysis
