// Facts of a run that changes of its step rest on, and the energy of what was changed.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/Summary.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

std::size_t gpusOfGraph(const StepGraph& graph) {
    std::set<std::pair<int, int>> devices;
    for (const StepTrack& track : graph.tracks) {
        if (track.device >= 0)
            devices.emplace(track.rank, track.device);
    }
    return devices.size();
}

// Energy of a step: of the iterations that count where all are told apart, else the share that a
// step has of the traced time.
std::optional<EstimatedEnergy> stepEnergy(
    const StepGraph& graph, const EnergyByPhase& energy, double stepS) {
    PartEnergy sum;
    int counted = 0;
    for (const StepIteration& iteration : graph.iterations) {
        const auto& all = energy.sum.iterations;
        const auto found
            = std::ranges::find(all, iteration.measured.index, &IterationEnergy::index);
        if (iteration.counts)
            sum += found == all.end() ? PartEnergy{{}, NoEnergy::NotTold} : found->total;
        counted += iteration.counts ? 1 : 0;
    }
    if (sum.known)
        return sum.known->part(1.0 / counted);
    double tracedS = 0.0;
    for (const GpuEnergy& gpu : energy.gpus)
        tracedS += gpu.traced.seconds() / static_cast<double>(energy.gpus.size());
    return energy.sum.total.known && tracedS > 0.0
        ? std::optional(energy.sum.total.known->part(stepS / tracedS))
        : std::nullopt;
}

// Energy of a step by category. Those whose energy the readings do not tell share the rest by their
// time, half of it more or less.
std::map<std::string, EstimatedEnergy> stepCategories(
    const EnergyByPhase& energy, const EstimatedEnergy& step, const DeviceSeconds& seconds) {
    constexpr double kDoubt = 0.5;
    std::map<std::string, EstimatedEnergy> categories;
    const double share = step.joules / energy.sum.total.known->joules;
    double left = step.joules;
    double unknownS = 0.0;
    for (const auto& [category, s] : seconds) {
        const auto found = energy.sum.categories.find(category);
        if (found == energy.sum.categories.end() || !found->second.known) {
            unknownS += s;
            continue;
        }
        categories[category] = found->second.known->part(share);
        left -= categories[category].joules;
    }
    for (const auto& [category, s] : seconds) {
        if (categories.contains(category) || s <= 0.0)
            continue;
        const double joules = std::max(0.0, left) * s / unknownS;
        categories[category] = {joules, (1.0 - kDoubt) * joules, (1.0 + kDoubt) * joules};
    }
    return categories;
}

// While the iterations ran that count: between captures a job may wait at other clocks.
Status takeMeans(const RunStudy& study, const StepGraph& graph, ChangeFacts& facts) {
    struct Wanted {
        std::string metric;
        std::optional<double> ChangeFacts::*fact;
        TimeSum sum;
    };
    std::array<Wanted, 3> wanted{{{metric::kGpuPower, &ChangeFacts::meanW, {}},
        {metric::kSmClock, &ChangeFacts::clockHz, {}},
        {metric::kPowerLimit, &ChangeFacts::limitW, {}}}};
    std::vector<TimeRange> windows; // neighbouring iterations are one
    for (const StepIteration& iteration : graph.iterations) {
        const TimeRange& range = iteration.measured.range;
        if (iteration.counts && !windows.empty()
            && range.begin < windows.back().end + range.length())
            windows.back() = spanned(windows.back(), range);
        else if (iteration.counts)
            windows.push_back(range);
    }
    for (const TimeRange& window : windows) {
        const SummaryScope scope{window, {wanted[0].metric, wanted[1].metric, wanted[2].metric}};
        ASSIGN_OR_RETURN(const auto summary, summarise(study, scope));
        for (Wanted& one : wanted) {
            const auto found = summary.metrics.find(one.metric);
            if (found != summary.metrics.end() && found->second.all.mean)
                one.sum.add(*found->second.all.mean, window.length());
        }
    }
    for (const Wanted& one : wanted)
        facts.*one.fact = one.sum.mean();
    if (!facts.limitW && study.run.launch.powerLimitW.value_or(0) > 0)
        facts.limitW = static_cast<double>(*study.run.launch.powerLimitW);
    return {};
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
    const auto steps = static_cast<double>(std::max<std::ptrdiff_t>(
        1, std::ranges::count(graph.iterations, true, &StepIteration::counts)));
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

EstimatedEnergy changedEnergy(const ChangeFacts& facts, const DeviceSeconds& before,
    const Bounded<DeviceSeconds>& after, const Factors& clock) {
    EstimatedEnergy all;
    for (const auto& [category, energy] : facts.categories)
        all += energy;
    all = facts.energy.value_or(all);
    Factors sum = exactly(0.0);
    std::vector<std::pair<const EstimatedEnergy*, double>> factors; // by category
    const Factors idleW = idleWattsOf(facts);
    for (const auto& [category, energy] : facts.categories) {
        const auto found = before.find(category);
        if (found == before.end() || found->second <= 0.0 || energy.joules <= 0.0)
            continue;
        const double watts = energy.joules / found->second;
        const Factors bound = clockBoundOf(category);
        const Factors joules = forEachBound([&, &name = category](const auto& pick) {
            const ClockLoad load{1.0, watts, pick(bound), false};
            const auto now = pick(after).find(name);
            return now == pick(after).end()
                ? 0.0
                : now->second * wattsAt(load, pick(idleW), pick(kClockLaws), pick(clock));
        });
        factors.emplace_back(&energy, joules.likely / energy.joules);
        sum = forEachBound([&](const auto& pick) { return pick(sum) + pick(joules); });
    }
    // The readings know the whole better than its parts: these count as far as they change in
    // another way than the whole.
    const double mean = sum.likely / std::max(all.joules, 1e-9);
    const auto [low, high] = std::minmax({sum.fast, sum.likely, sum.slow});
    double below = std::hypot(mean * (all.joules - all.low), sum.likely - low);
    double above = std::hypot(mean * (all.high - all.joules), high - sum.likely);
    for (const auto& [energy, factor] : factors) {
        below = std::hypot(below, (factor - mean) * (energy->joules - energy->low));
        above = std::hypot(above, (factor - mean) * (energy->high - energy->joules));
    }
    return {sum.likely, sum.likely - below, sum.likely + above};
}

Result<ChangeFacts> changeFacts(
    const RunStudy& study, const StepGraph& graph, const EnergyByPhase& energy) {
    ChangeFacts facts;
    facts.gpu = catalogue::findGpuModel(study.run.gpuModel);
    RETURN_IF_ERROR(takeMeans(study, graph, facts));
    const StepTimes replayed = simulate(graph, measuredCosts(graph));
    const auto stepS = meanStepSeconds(graph, replayed);
    if (!stepS || energy.gpus.empty() || energy.gpus.size() < gpusOfGraph(graph))
        return facts;
    facts.energy = stepEnergy(graph, energy, *stepS);
    if (facts.energy && energy.sum.total.known && energy.sum.total.known->joules > 0.0)
        facts.categories = stepCategories(energy, *facts.energy, deviceSeconds(graph, replayed));
    return facts;
}

} // namespace trainscope::analysis
