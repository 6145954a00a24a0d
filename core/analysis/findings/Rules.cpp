#include "core/analysis/findings/Rules.h"

#include <algorithm>

namespace trainscope::analysis {

Findings applyRules(const RunFacts& facts) {
    Findings found;
    for (const auto rule : {&findOutOfMemory, &findMissingRanks, &findImplausibleMfu,
             &findThrottling, &findExposedCommunication, &findStraggler, &findBubbles,
             &findIdleTime, &findHostBound, &findOutlierGpus, &findFrontRearGradient,
             &findPowerSwing, &findLinkUse, &findNodeSpread, &findStagePower,
             &findPcieConcentration, &findBusyLinks, &findUnsettled, &findLowCoverage,
             &findMissingSamples, &findClockOffsets, &findAveragingSensor, &findWarmup})
        rule(facts, found);
    std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
        return a.cost != b.cost ? a.cost > b.cost : a.severity > b.severity;
    });
    return found;
}

} // namespace trainscope::analysis
