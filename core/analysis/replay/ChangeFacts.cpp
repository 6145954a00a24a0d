// Facts of a run that changes of its step rest on.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/replay/Simulation.h"
#include "core/analysis/replay/StepChange.h"
#include "core/analysis/replay/StepEnergy.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace trainscope::analysis {

namespace {

TimeRange countedTime(const StepGraph& graph) {
    TimeRange all = kNoTime;
    for (const StepIteration& iteration : graph.iterations) {
        if (iteration.counts)
            all = spanned(all, iteration.measured.range);
    }
    return all;
}

std::size_t gpusOfGraph(const StepGraph& graph) {
    std::set<std::pair<int, int>> devices;
    for (const StepTrack& track : graph.tracks) {
        if (track.device >= 0)
            devices.emplace(track.rank, track.device);
    }
    return devices.size();
}

// Energy of a step: of the iterations that count where they are told apart, else the share that a
// step has of the traced time.
std::optional<EstimatedEnergy> stepEnergy(
    const StepGraph& graph, const EnergyByPhase& energy, double stepS) {
    EstimatedEnergy sum;
    int known = 0;
    int counted = 0;
    for (const StepIteration& iteration : graph.iterations) {
        if (!iteration.counts)
            continue;
        ++counted;
        const auto& all = energy.sum.iterations;
        const auto found
            = std::ranges::find(all, iteration.measured.index, &IterationEnergy::index);
        if (found == all.end() || !found->total.known)
            continue;
        sum += *found->total.known;
        ++known;
    }
    if (known > 0 && known == counted)
        return sum.part(1.0 / known);
    double tracedS = 0.0;
    for (const GpuEnergy& gpu : energy.gpus)
        tracedS += gpu.traced.seconds();
    if (!energy.sum.total.known || tracedS <= 0.0)
        return {};
    return energy.sum.total.known->part(stepS * static_cast<double>(energy.gpus.size()) / tracedS);
}

// Of a step. Categories whose energy the readings do not tell share what is left by their time,
// half of it more or less.
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

Status takeMeans(const RunStudy& study, TimeRange window, ChangeFacts& facts) {
    const SummaryScope scope{window, {metric::kGpuPower, metric::kSmClock, metric::kPowerLimit}};
    ASSIGN_OR_RETURN(const auto summary, summarise(study, scope));
    const auto meanOf = [&](const char* name) -> std::optional<double> {
        const auto found = summary.metrics.find(name);
        return found == summary.metrics.end() ? std::nullopt : found->second.all.mean;
    };
    facts.meanW = meanOf(metric::kGpuPower);
    facts.clockHz = meanOf(metric::kSmClock);
    facts.limitW = meanOf(metric::kPowerLimit);
    if (!facts.limitW && study.run.launch.powerLimitW.value_or(0) > 0)
        facts.limitW = static_cast<double>(*study.run.launch.powerLimitW);
    return {};
}

} // namespace

Result<ChangeFacts> changeFacts(
    const RunStudy& study, const StepGraph& graph, const EnergyByPhase& energy) {
    ChangeFacts facts;
    facts.gpu = catalogue::findGpuModel(study.run.gpuModel);
    RETURN_IF_ERROR(takeMeans(study, countedTime(graph), facts));
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
