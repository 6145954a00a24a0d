#include "core/analysis/findings/Findings.h"

#include "core/analysis/findings/Rules.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainscope::analysis {

namespace {

constexpr auto kChecks = [] {
    using enum CheckGroup;
    return std::array{
        Check{"how the run ended", Data, Need::Nothing, Applies::Always, {&findOutOfMemory}},
        Check{"why memory ran out", Data, Need::Snapshot, Applies::Always, {&findAllocatorLimits}},
        Check{"missing ranks", Data, Need::Nothing, Applies::SeveralGpus, {&findMissingRanks}},
        Check{"collectives that never ended", Data, Need::FlightRecords, Applies::SeveralGpus,
            {&findUnreachedCollectives}},
        Check{"an MFU that cannot be", Data, Need::Model, Applies::Always,
            {&findImplausibleMfu, &findReportedMfu}},
        Check{"power that cannot be", Data, Need::Power, Applies::Always,
            {&findPowerSpikes, &findPowerOfOtherUnit}},
        Check{"power against the energy counter", Data, Need::Counter, Applies::Always,
            {&findContradictingEnergy}},
        Check{"work long before the steps", Data, Need::Trace, Applies::Always, {&findEarlyWork}},
        Check{"work that runs over what follows", Data, Need::Trace, Applies::Always,
            {&findOverrunKernels}},
        Check{"steps without work", Data, Need::Trace, Applies::Always, {&findEmptySteps}},
        Check{"throttling", Heat, Need::Clock, Applies::Always, {&findThrottling}},
        Check{"power above its limit", Heat, Need::Limit, Applies::Always, {&findAboveLimit}},
        Check{"exposed communication", Time, Need::Trace, Applies::SeveralGpus,
            {&findExposedCommunication}},
        Check{"stragglers", Time, Need::RankTraces, Applies::SeveralGpus, {&findStraggler}},
        Check{"pipeline bubbles", Time, Need::Stages, Applies::SeveralStages, {&findBubbles}},
        Check{"idle time", Time, Need::Trace, Applies::Always, {&findIdleTime}},
        Check{"copies", Time, Need::Trace, Applies::Always, {&findCopies}},
        Check{"waiting for the host", Time, Need::Trace, Applies::Always, {&findHostBound}},
        Check{
            "GPUs that differ", Machine, Need::Telemetry, Applies::SeveralGpus, {&findOutlierGpus}},
        Check{"heat from front to rear", Heat, Need::Temperature, Applies::SeveralGpus,
            {&findFrontRearGradient}},
        Check{"swings of power", Heat, Need::Power, Applies::Always, {&findPowerSwing}},
        Check{"use of the links by collectives", Time, Need::RankTraces, Applies::SeveralGpus,
            {&findLinkUse}},
        Check{"nodes that differ", Machine, Need::Telemetry, Applies::SeveralNodes,
            {&findNodeSpread}},
        Check{"nodes whose power differs", Machine, Need::NodePower, Applies::SeveralNodes,
            {&findNodePower}},
        Check{"what else of a node takes power", Machine, Need::NodePower, Applies::Always,
            {&findRestOfNode}},
        Check{"power of the stages", Heat, Need::Power, Applies::SeveralStages, {&findStagePower}},
        Check{"PCIe traffic of few GPUs", Machine, Need::Links, Applies::SeveralGpus,
            {&findPcieConcentration}},
        Check{"links that are full", Machine, Need::Links, Applies::Always, {&findBusyLinks}},
        Check{"temperatures that never settled", Heat, Need::Temperature, Applies::Always,
            {&findUnsettled}},
        Check{"coverage of the telemetry", Data, Need::Telemetry, Applies::Always,
            {&findLowCoverage}},
        Check{"missing samples", Data, Need::Telemetry, Applies::Always, {&findMissingSamples}},
        Check{"clocks of the ranks", Data, Need::RankTraces, Applies::SeveralGpus,
            {&findClockOffsets}},
        Check{"sensors that are too slow", Data, Need::Power, Applies::Always,
            {&findAveragingSensor}},
        Check{"warm-up", Time, Need::Steps, Applies::Always, {&findWarmup}},
        Check{"operators below the roofline", Operators, Need::Calls, Applies::Always,
            {&findSlowOperators}},
        Check{"work in small pieces", Operators, Need::Calls, Applies::Always, {&findSmallKernels}},
        Check{"calls that take longer than their work", Operators, Need::Calls, Applies::Always,
            {&findLaunchBound}},
        Check{"work done again", Operators, Need::Calls, Applies::Always, {&findRecomputation}},
        Check{"copies and conversions of tensors", Operators, Need::Calls, Applies::Always,
            {&findHiddenCopies}},
    };
}();

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
