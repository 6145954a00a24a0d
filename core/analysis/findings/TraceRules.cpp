#include "core/analysis/findings/Rules.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include "core/analysis/traces/KernelCategory.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::analysis {

namespace {

double sumOver(const std::vector<TracedDevice>& devices, double TracedDevice::*seconds) {
    double sum = 0.0;
    for (const TracedDevice& device : devices)
        sum += device.*seconds;
    return sum;
}

// The device whose share is the largest.
const TracedDevice& worstOf(
    const std::vector<TracedDevice>& devices, double TracedDevice::*seconds) {
    return *std::max_element(
        devices.begin(), devices.end(), [seconds](const auto& a, const auto& b) {
            return a.*seconds * b.windowS < b.*seconds * a.windowS;
        });
}

std::string tracedText(const RunFacts& facts) {
    return fmt::format("{} traced on {}",
        text::seconds(sumOver(facts.traced, &TracedDevice::windowS)),
        text::counted(static_cast<std::int64_t>(facts.traced.size()), "GPU", "GPUs"));
}

// A share of the traced time that is a cost as it is.
struct Share {
    const char* rule;
    double TracedDevice::*seconds;
    double threshold;
    const char* sentence; // {} the share, {} the worst rank, {} its share
    const char* what;
};

const TracedDevice* addShare(const Share& share, const RunFacts& facts, Findings& found) {
    const double all = sumOver(facts.traced, &TracedDevice::windowS);
    const double part = sumOver(facts.traced, share.seconds);
    if (all <= 0.0 || part / all < share.threshold)
        return nullptr;
    const TracedDevice& worst = worstOf(facts.traced, share.seconds);
    const double worstShare = worst.*share.seconds / worst.windowS;
    found.push_back({share.rule,
        fmt::format(fmt::runtime(share.sentence), text::roundedPercent(part / all), worst.rank,
            text::roundedPercent(worstShare)),
        {{"fraction", part / all}, {"seconds", part}, {"traced_s", all},
            {"worst_rank_fraction", worstShare}},
        {worst.rank, worst.window, {}},
        text::roundedPercent(share.threshold) + " of the traced time",
        fmt::format("{}: {}", share.what, tracedText(facts)), severityOfCost(part / all),
        part / all});
    return &worst;
}

} // namespace

void findExposedCommunication(const RunFacts& facts, Findings& found) {
    const Share share{"exposed_communication", &TracedDevice::exposedS, kExposedFraction,
        "Exposed communication costs {} of the step; most on rank {}, {}",
        "first kernel to last kernel of each device; communication while no compute kernel runs"};
    if (addShare(share, facts, found) == nullptr)
        return;
    Finding& finding = found.back();
    const double all = sumOver(facts.traced, &TracedDevice::windowS);
    std::map<std::string, double> kinds;
    for (const TracedDevice& device : facts.traced) {
        for (const auto& [kind, seconds] : device.exposedByKindS)
            kinds[kind] += seconds;
    }
    std::vector<std::pair<double, std::string>> byTime;
    for (const auto& [kind, seconds] : kinds) {
        finding.values[kind + "_fraction"] = seconds / all;
        byTime.emplace_back(seconds, kind);
    }
    std::sort(byTime.rbegin(), byTime.rend());
    std::string list;
    for (const auto& [seconds, kind] : byTime) {
        if (seconds / all >= 0.001)
            list += (list.empty() ? "" : ", ") + std::string(KernelCategories::label(kind)) + " "
                + text::roundedPercent(seconds / all);
    }
    finding.text += list.empty() ? "." : ". By kind: " + list + ".";
}

void findIdleTime(const RunFacts& facts, Findings& found) {
    addShare({"idle_gpu", &TracedDevice::idleS, kIdleFraction,
                 "GPUs are idle for {} of the traced time; most on rank {}, {}.",
                 "first kernel to last kernel of each device; no kernel runs"},
        facts, found);
}

void findHostBound(const RunFacts& facts, Findings& found) {
    addShare({"host_bound", &TracedDevice::hostBoundS, kHostBoundFraction,
                 "GPUs wait for the host for {} of the traced time: what runs next was not yet "
                 "launched; most on rank {}, {}.",
                 "first kernel to last kernel of each device"},
        facts, found);
}

void findBubbles(const RunFacts& facts, Findings& found) {
    if (!facts.pipeline || !facts.pipeline->isOfIterations || facts.traced.empty()
        || facts.pipeline->bubbleFraction < kBubbleFraction)
        return;
    const double measured = facts.pipeline->bubbleFraction;
    const auto ideal = facts.pipeline->idealFraction;
    if (!ideal || measured < kBubbleOverIdeal * *ideal)
        return;
    const TracedDevice& worst = worstOf(facts.traced, &TracedDevice::idleS);
    const double cost = measured - *ideal;
    found.push_back({"pipeline_bubbles",
        fmt::format("Pipeline bubbles take {} of the time, {:.2g} times the {} that {} stages "
                    "would have at best.",
            text::roundedPercent(measured), measured / std::max(*ideal, 1e-9),
            text::roundedPercent(*ideal), facts.pipeline->stages),
        {{"fraction", measured}, {"ideal_fraction", *ideal}, {"stages", facts.pipeline->stages}},
        {worst.rank, worst.window, {}},
        fmt::format("{} of the time and {} times the ideal", text::roundedPercent(kBubbleFraction),
            kBubbleOverIdeal),
        "traced iterations of all ranks; the ideal is (p − 1)/(v·m + p − 1) of p stages, m "
        "micro-batches "
        "and v virtual stages",
        severityOfCost(cost), cost});
}

} // namespace trainscope::analysis
