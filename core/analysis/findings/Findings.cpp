#include "core/analysis/findings/Findings.h"

#include "core/analysis/findings/Rules.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::array kChecks{
    Check{"how the run ended", Need::Nothing, Applies::Always, {&findOutOfMemory}},
    Check{"why memory ran out", Need::Snapshot, Applies::Always, {&findAllocatorLimits}},
    Check{"missing ranks", Need::Nothing, Applies::SeveralGpus, {&findMissingRanks}},
    Check{"collectives that never ended", Need::FlightRecords, Applies::SeveralGpus,
        {&findUnreachedCollectives}},
    Check{"an MFU that cannot be", Need::Model, Applies::Always,
        {&findImplausibleMfu, &findReportedMfu}},
    Check{"power that cannot be", Need::Power, Applies::Always,
        {&findPowerSpikes, &findPowerOfOtherUnit}},
    Check{"power against the energy counter", Need::Counter, Applies::Always,
        {&findContradictingEnergy}},
    Check{"work long before the steps", Need::Trace, Applies::Always, {&findEarlyWork}},
    Check{"work that runs over what follows", Need::Trace, Applies::Always, {&findOverrunKernels}},
    Check{"steps without work", Need::Trace, Applies::Always, {&findEmptySteps}},
    Check{"throttling", Need::Clock, Applies::Always, {&findThrottling}},
    Check{"power above its limit", Need::Limit, Applies::Always, {&findAboveLimit}},
    Check{"exposed communication", Need::Trace, Applies::SeveralGpus, {&findExposedCommunication}},
    Check{"stragglers", Need::RankTraces, Applies::SeveralGpus, {&findStraggler}},
    Check{"pipeline bubbles", Need::Stages, Applies::SeveralStages, {&findBubbles}},
    Check{"idle time", Need::Trace, Applies::Always, {&findIdleTime}},
    Check{"copies", Need::Trace, Applies::Always, {&findCopies}},
    Check{"waiting for the host", Need::Trace, Applies::Always, {&findHostBound}},
    Check{"GPUs that differ", Need::Telemetry, Applies::SeveralGpus, {&findOutlierGpus}},
    Check{"GPUs against their earlier runs", Need::Past, Applies::KnownGpus, {&findHistory}},
    Check{"heat from front to rear", Need::Temperature, Applies::SeveralGpus,
        {&findFrontRearGradient}},
    Check{"swings of power", Need::Power, Applies::Always, {&findPowerSwing}},
    Check{
        "use of the links by collectives", Need::RankTraces, Applies::SeveralGpus, {&findLinkUse}},
    Check{"nodes that differ", Need::Telemetry, Applies::SeveralNodes, {&findNodeSpread}},
    Check{"nodes whose power differs", Need::NodePower, Applies::SeveralNodes, {&findNodePower}},
    Check{"what else of a node takes power", Need::NodePower, Applies::Always, {&findRestOfNode}},
    Check{"power of the stages", Need::Power, Applies::SeveralStages, {&findStagePower}},
    Check{"PCIe traffic of few GPUs", Need::Links, Applies::SeveralGpus, {&findPcieConcentration}},
    Check{"links that are full", Need::Links, Applies::Always, {&findBusyLinks}},
    Check{"temperatures that never settled", Need::Temperature, Applies::Always, {&findUnsettled}},
    Check{"coverage of the telemetry", Need::Telemetry, Applies::Always, {&findLowCoverage}},
    Check{"missing samples", Need::Telemetry, Applies::Always, {&findMissingSamples}},
    Check{"clocks of the ranks", Need::RankTraces, Applies::SeveralGpus, {&findClockOffsets}},
    Check{"sensors that are too slow", Need::Power, Applies::Always, {&findAveragingSensor}},
    Check{"warm-up", Need::Steps, Applies::Always, {&findWarmup}},
    Check{"steps that change for good", Need::Steps, Applies::Always, {&findStepChange}},
    Check{"operators below the roofline", Need::Calls, Applies::Always, {&findSlowOperators}},
    Check{"work in small pieces", Need::Calls, Applies::Always, {&findSmallKernels}},
    Check{
        "calls that take longer than their work", Need::Calls, Applies::Always, {&findLaunchBound}},
    Check{"work done again", Need::Calls, Applies::Always, {&findRecomputation}},
    Check{"copies and conversions of tensors", Need::Calls, Applies::Always, {&findHiddenCopies}},
};

} // namespace

Result<std::vector<Finding>> findingsOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto facts, factsOf(study));
    return applyRules(facts);
}

Result<std::vector<Finding>> findingsOf(const RunStudy& study, const FindingsOptions& options) {
    ASSIGN_OR_RETURN(const auto facts, collectFacts(study, options));
    return applyRules(facts);
}

std::string partOfGpus(std::int64_t part, std::int64_t all) {
    return all == 1 && part == 1 ? "the GPU"
                                 : fmt::format("{} of {}", part, text::counted(all, "GPU"));
}

std::span<const Check> allChecks() {
    return kChecks;
}

Findings applyRules(const RunFacts& facts) {
    Findings found;
    for (const Check& check : kChecks) {
        for (const auto rule : check.rules) {
            if (rule != nullptr)
                rule(facts, found);
        }
    }
    std::ranges::stable_sort(found, [](const Finding& a, const Finding& b) {
        return a.cost != b.cost ? a.cost > b.cost : a.severity > b.severity;
    });
    return found;
}

} // namespace trainscope::analysis
