#include "core/analysis/replay/StepEnergy.h"

#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/TimeRanges.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

// Work whose energy nobody knows may take so much of the time.
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
    const Bounded<DeviceSeconds>& after, const Factors& clock) {
    if (hasUnknownWork(facts, before) || hasUnknownWork(facts, after.likely))
        return {};
    const auto idleS = before.find("idle");
    const auto idleJ = facts.categories.find("idle");
    const double idleW = idleS != before.end() && idleJ != facts.categories.end()
        ? idleJ->second.joules / std::max(idleS->second, 1e-9)
        : 0.0;
    EstimatedEnergy sum;
    Factors bounds = exactly(0.0);
    for (const auto& [category, energy] : facts.categories) {
        const auto found = before.find(category);
        if (found == before.end() || found->second <= 0.0)
            continue;
        const double watts = energy.joules / found->second;
        const Factors bound = clockBoundOf(category);
        const Factors joules = forEachBound([&, &name = category](const auto& pick) {
            const ClockLoad load{1.0, watts, pick(bound), false};
            const auto now = pick(after).find(name);
            return now == pick(after).end()
                ? 0.0
                : now->second * wattsAt(load, idleW, pick(kClockLaws), pick(clock));
        });
        sum += energy.part(joules.likely / std::max(energy.joules, 1e-9));
        bounds = forEachBound([&](const auto& pick) { return pick(bounds) + pick(joules); });
    }
    const auto [low, high] = std::minmax({bounds.fast, bounds.likely, bounds.slow});
    const double below = std::hypot(sum.joules - sum.low, bounds.likely - low);
    const double above = std::hypot(sum.high - sum.joules, high - bounds.likely);
    return EstimatedEnergy{sum.joules, sum.joules - below, sum.joules + above};
}

} // namespace trainscope::analysis
