#include "core/analysis/findings/Findings.h"

#include "core/analysis/findings/Rules.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/model/EnumNames.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::analysis {

namespace {

constexpr auto kSeverities = enumNames<Severity>(
    {{Severity::Note, "note"}, {Severity::Attention, "attention"}, {Severity::Serious, "serious"}});

} // namespace

std::string_view toString(Severity severity) {
    return kSeverities.nameOf(severity);
}

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

Findings applyRules(const RunFacts& facts) {
    Findings found;
    for (const auto rule :
        {&findOutOfMemory, &findAllocatorLimits, &findMissingRanks, &findUnreachedCollectives,
            &findImplausibleMfu, &findReportedMfu, &findPowerSpikes, &findContradictingEnergy,
            &findPowerOfOtherUnit, &findEarlyWork, &findOverrunKernels, &findEmptySteps,
            &findThrottling, &findAboveLimit, &findExposedCommunication, &findStraggler,
            &findBubbles, &findIdleTime, &findCopies, &findHostBound, &findOutlierGpus,
            &findFrontRearGradient, &findPowerSwing, &findLinkUse, &findNodeSpread, &findNodePower,
            &findRestOfNode, &findStagePower, &findPcieConcentration, &findBusyLinks,
            &findUnsettled, &findLowCoverage, &findMissingSamples, &findClockOffsets,
            &findAveragingSensor, &findWarmup, &findSlowOperators, &findSmallKernels,
            &findLaunchBound, &findRecomputation, &findHiddenCopies})
        rule(facts, found);
    std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
        return a.cost != b.cost ? a.cost > b.cost : a.severity > b.severity;
    });
    return found;
}

} // namespace trainscope::analysis
