#include "core/analysis/findings/Rules.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kKernelShown = 60; // characters of its name

// Ranks of the rear or the front half of each node, as the gradient takes them.
std::set<int> halfOf(const RunFacts& facts, bool isRear) {
    std::map<int, std::vector<std::pair<std::size_t, int>>> nodes;
    for (const GpuSummary& gpu : facts.steady.gpus) {
        const auto place = std::ranges::find(facts.airflow, gpu.gpu.local);
        const std::size_t depth = facts.airflow.empty()
            ? static_cast<std::size_t>(std::max(0, gpu.gpu.local))
            : static_cast<std::size_t>(place - facts.airflow.begin());
        if (meanOf(gpu, metric::kGpuTemperature))
            nodes[gpu.gpu.node].emplace_back(depth, gpu.gpu.rank);
    }
    std::set<int> half;
    for (auto& [node, gpus] : nodes) {
        std::ranges::sort(gpus);
        const std::size_t first = isRear ? gpus.size() - gpus.size() / 2 : 0;
        for (std::size_t i = first; i < first + gpus.size() / 2; ++i)
            half.insert(gpus[i].second);
    }
    return half;
}

// Share of the time of these GPUs that they throttled.
double throttledShare(const Throttling& throttling, const std::set<int>& ranks) {
    ThrottledTime sum;
    for (const auto& [rank, gpu] : throttling.gpus) {
        sum.seconds += ranks.contains(rank) ? gpu.seconds : 0.0;
        sum.ofSeconds += ranks.contains(rank) ? gpu.ofSeconds : 0.0;
    }
    return sum.fraction();
}

std::string airWords(const RunFacts& facts) {
    if (facts.airflow.empty())
        return "local indices taken to ascend from front to rear";
    if (facts.airflowEvidence.empty())
        return "front to rear as the cluster description says";
    return "front to rear inferred: "
        + facts.airflowEvidence.substr(0, facts.airflowEvidence.size() - 1);
}

// The means by which throttling is told, and the time that it is a share of.
std::string throttlingBasis(const RunFacts& facts) {
    const Throttling& throttling = *facts.throttling;
    if (throttling.basis == ThrottleBasis::Reasons)
        return fmt::format("the GPU-seconds of {} over which the driver's reasons were read; caps "
                           "and brakes of power, heat and hardware slowdowns count as throttling",
            facts.scope());
    std::string words = fmt::format(
        "all GPU-seconds of {}; no reasons of a driver were recorded: a GPU throttles below {} of "
        "the 95th percentile clock ({}) at a utilisation of {} or more",
        facts.scope(), text::roundedPercent(kThrottledClock),
        text::rounded(throttling.clockLost->referenceClockHz, "Hz"),
        text::roundedPercent(kBusyUtilization));
    std::string_view lead = "; causes inferred: ";
    for (const std::string& sentence : throttling.evidence) {
        words.append(lead).append(sentence, 0, sentence.size() - 1);
        lead = "; ";
    }
    return words;
}

} // namespace

void findFrontRearGradient(const RunFacts& facts, Findings& found) {
    std::map<int, std::map<int, double>> means;
    const GpuSummary* hottest = nullptr;
    for (const GpuSummary& gpu : facts.steady.gpus) {
        const auto mean = meanOf(gpu, metric::kGpuTemperature);
        if (!mean)
            continue;
        means[gpu.gpu.node][gpu.gpu.local] = *mean;
        if (hottest == nullptr || *mean > *meanOf(*hottest, metric::kGpuTemperature))
            hottest = &gpu;
    }
    const auto gradient = airflowGradient(means, facts.airflow);
    if (!gradient || gradient->celsius < kGradientC)
        return;
    Finding finding{"front_rear_gradient",
        fmt::format("Rear GPUs are {} hotter than front ones ({} against {})",
            text::rounded(gradient->celsius, "°C"), text::rounded(gradient->rearC, "°C"),
            text::rounded(gradient->frontC, "°C")),
        {{"gradient_c", gradient->celsius}, {"front_c", gradient->frontC},
            {"rear_c", gradient->rearC}, {"nodes", gradient->nodes.size()}},
        {hottest->gpu.rank, facts.steadyState.window, metric::kGpuTemperature},
        text::rounded(kGradientC, "°C")
            + " between the means of the rear and the front half of a node",
        "time-weighted means over " + facts.steadyState.wording + "; " + airWords(facts),
        Severity::Attention, 0.0};
    if (facts.throttling) {
        const double rear = throttledShare(*facts.throttling, halfOf(facts, true));
        const double front = throttledShare(*facts.throttling, halfOf(facts, false));
        finding.values["rear_throttled"] = rear;
        finding.values["front_throttled"] = front;
        finding.text += fmt::format(" and throttled {} of the time (front: {})",
            text::roundedPercent(rear), text::roundedPercent(front));
    }
    finding.text += ".";
    found.push_back(std::move(finding));
}

void findThrottling(const RunFacts& facts, Findings& found) {
    if (!facts.throttling || facts.throttling->fraction < kThrottleFraction)
        return;
    const Throttling& throttling = *facts.throttling;
    if (throttling.episodes.empty())
        return;
    const auto partOf = [&throttling](ThrottleCause cause) {
        return throttling.shareOf(cause) / throttling.fraction;
    };
    double all = 0.0;
    for (const auto& [cause, sum] : throttling.causes)
        all += sum.gpuSeconds;
    const double inferred = throttling.inferredGpuSeconds / all;
    const auto worst = std::ranges::max_element(throttling.gpus,
        [](const auto& a, const auto& b) { return a.second.fraction() < b.second.fraction(); });
    const bool isOne = facts.whole.gpus.size() == 1;
    const ThrottleCause most = throttling.mainCause();
    Finding finding{"throttling",
        fmt::format("{} throttled {} of the time{}, {} of it for {} reasons{}",
            isOne ? "The GPU" : "GPUs", text::roundedPercent(throttling.fraction),
            throttling.basis == ThrottleBasis::Clocks ? ", told from clocks" : "",
            text::roundedPercent(partOf(most)),
            most == ThrottleCause::Other ? "unknown" : toString(most),
            inferred > 0.5 ? " (inferred)" : ""),
        {{"fraction", throttling.fraction}, {"thermal_share", partOf(ThrottleCause::Thermal)},
            {"power_share", partOf(ThrottleCause::Power)},
            {"other_share", partOf(ThrottleCause::Other)}, {"inferred_share", inferred},
            {"episodes", throttling.episodes.size()},
            {"worst_rank_fraction", worst->second.fraction()}},
        {throttling.longest().rank, throttling.longest().episode.range, throttling.metric()},
        text::roundedPercent(kThrottleFraction) + " of the GPUs' time", throttlingBasis(facts),
        Severity::Note, 0.0};
    if (const auto& lost = throttling.clockLost) {
        finding.text += fmt::format("; {} of {} clock was lost",
            text::roundedPercent(lost->fraction), isOne ? "its" : "their");
        finding.values["lost_gpu_s"] = lost->gpuSeconds;
        finding.values["lost_fraction"] = finding.cost = lost->fraction;
        finding.severity = severityOfCost(lost->fraction);
    }
    finding.text += isOne ? "."
                          : fmt::format(". Rank {} throttled most, {}.", worst->first,
                              text::roundedPercent(worst->second.fraction()));
    found.push_back(std::move(finding));
}

void findAboveLimit(const RunFacts& facts, Findings& found) {
    const auto all = together(facts.aboveLimit);
    if (!all || all->share < kAboveLimitFraction)
        return;
    const AboveLimit& worst = *std::ranges::max_element(facts.aboveLimit, {}, &AboveLimit::seconds);
    const char* source = all->source == "recorded" ? "recorded"
        : all->source == "launch"                  ? "as launched"
        : all->source == "inferred"                ? "of the inferred model"
                                                   : "of the model";
    Finding finding{"above_power_limit",
        fmt::format("Power was above the limit of {} ({}) for {} of the time, {} in all, and "
                    "reached {}",
            text::rounded(all->limitW, "W"), source, text::roundedPercent(all->share),
            text::rounded(all->seconds, "s"), text::rounded(all->highestW, "W")),
        {{"limit_w", all->limitW}, {"seconds", all->seconds}, {"share", all->share},
            {"highest_w", all->highestW}, {"energy_j", all->joules},
            {"worst_rank_share", worst.share}},
        {worst.rank, longestStay(worst), metric::kGpuPower},
        text::roundedPercent(kAboveLimitFraction) + " of the GPUs' time",
        "the time of all GPUs with power; each reading holds until the next", Severity::Attention,
        0.0};
    if (!facts.kernelsAbove.empty()) {
        const KernelAboveLimit& most = facts.kernelsAbove.front();
        finding.text += fmt::format("; of what was traced then {} drew most, {}",
            text::elidedInMiddle(most.name, kKernelShown), text::rounded(most.joules, "J"));
        finding.values["top_kernel_j"] = most.joules;
    }
    finding.text += ".";
    found.push_back(std::move(finding));
}

void findPowerSwing(const RunFacts& facts, Findings& found) {
    const RunSummary& part = facts.isSpectrumSteady ? facts.steady : facts.whole;
    const auto power = part.metrics.find(metric::kGpuPower);
    if (facts.spectrum.empty() || power == part.metrics.end() || !power->second.all.mean)
        return;
    const double slowest = kSwingPeriods / std::max(part.duration.seconds(), 1e-9);
    const auto strongest = std::ranges::find_if(
        facts.spectrum, [slowest](const SpectralLine& one) { return one.frequencyHz >= slowest; });
    if (strongest == facts.spectrum.end())
        return;
    const SpectralLine& line = *strongest;
    const double mean = *power->second.all.mean * static_cast<double>(facts.power.size());
    const double swing = 2.0 * line.amplitude;
    if (mean <= 0.0 || swing / mean < kSwingFraction)
        return;
    Finding finding{"power_swing",
        fmt::format(
            "The power of the {} swings by ±{} at {}, from peak to peak {} of its mean of {}",
            facts.power.size() == 1 ? "GPU" : "GPUs together", text::rounded(line.amplitude, "W"),
            text::rounded(line.frequencyHz, "Hz"), text::roundedPercent(swing / mean),
            text::rounded(mean, "W")),
        {{"swing_w", swing}, {"amplitude_w", line.amplitude}, {"frequency_hz", line.frequencyHz},
            {"mean_w", mean}, {"fraction", swing / mean}},
        {-1, facts.isSpectrumSteady ? facts.steadyState.window : facts.run.range,
            metric::kGpuPower},
        fmt::format("{} of the mean, peak to peak, {:.0f} times in {} or more",
            text::roundedPercent(kSwingFraction), kSwingPeriods,
            facts.isSpectrumSteady ? "its steady part" : facts.scope()),
        fmt::format("summed mean power of {}; the amplitude of the strongest line of its spectrum, "
                    "half of its peak-to-peak swing, over {}",
            text::counted(std::ssize(facts.power), "GPU"),
            facts.isSpectrumSteady
                ? facts.steadyState.wording.substr(0, facts.steadyState.wording.find(';'))
                : facts.scope()),
        Severity::Attention, 0.0};
    if (facts.iterations.frequencyHz && *facts.iterations.frequencyHz > 0.0) {
        const double order = line.frequencyHz / *facts.iterations.frequencyHz;
        const double nearest = std::round(order);
        const double error = line.frequencyErrorHz / *facts.iterations.frequencyHz
            + nearest * facts.iterations.frequencyErrorHz.value_or(0.0)
                / *facts.iterations.frequencyHz;
        if (nearest >= 1.0 && std::abs(order - nearest) <= std::max(0.05, error)) {
            finding.values["harmonic"] = nearest;
            finding.values["iteration_hz"] = *facts.iterations.frequencyHz;
            finding.text += nearest < 1.5
                ? ": once in each iteration"
                : fmt::format(": {:.0f} times in each iteration", nearest);
        }
    }
    finding.text += ".";
    found.push_back(std::move(finding));
}

void findStagePower(const RunFacts& facts, Findings& found) {
    struct Stage {
        double sum = 0.0;
        int gpus = 0;
        int rank = -1; // its first
    };
    std::map<int, Stage> stages;
    for (const GpuSummary& gpu : facts.steady.gpus) {
        const auto stage = facts.stageOf.find(gpu.gpu.rank);
        const auto mean = meanOf(gpu, metric::kGpuPower);
        if (stage == facts.stageOf.end() || !mean)
            continue;
        Stage& sums = stages[stage->second];
        sums.sum += *mean;
        sums.rank = sums.gpus++ == 0 ? gpu.gpu.rank : sums.rank;
    }
    if (stages.size() < 2)
        return;
    const auto mean = [](const Stage& stage) { return stage.sum / stage.gpus; };
    const auto most = std::ranges::max_element(
        stages, [&](const auto& a, const auto& b) { return mean(a.second) < mean(b.second); });
    double others = 0.0;
    for (const auto& [number, stage] : stages)
        others += number == most->first ? 0.0 : mean(stage);
    others /= static_cast<double>(stages.size() - 1);
    const double watts = mean(most->second);
    if (others <= 0.0 || watts / others - 1.0 < kStagePowerExcess)
        return;
    found.push_back({"stage_power",
        fmt::format("Stage {} draws the most: {} a GPU, {} more than the mean of the other stages "
                    "({}).",
            most->first, text::rounded(watts, "W"), text::roundedPercent(watts / others - 1.0),
            text::rounded(others, "W")),
        {{"stage", most->first}, {"stage_w", watts}, {"others_w", others},
            {"excess", watts / others - 1.0}},
        {most->second.rank, facts.steadyState.window, metric::kGpuPower},
        text::roundedPercent(kStagePowerExcess) + " above the mean of the other stages",
        fmt::format("mean power a GPU of {} over {}", text::counted(std::ssize(stages), "stage"),
            facts.steadyState.wording),
        Severity::Note, 0.0});
}

} // namespace trainscope::analysis
