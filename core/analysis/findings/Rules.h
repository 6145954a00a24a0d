#pragma once
// The rules, one function each. A rule adds what it finds, with its threshold and denominator, and
// nothing where the facts cannot carry it.

#include "core/analysis/findings/Finding.h"
#include "core/analysis/findings/RunFacts.h"

#include <vector>

namespace trainscope::analysis {

using Findings = std::vector<Finding>;

// Data: what the figures of a run rest on.
void findOutOfMemory(const RunFacts& facts, Findings& found);
void findMissingRanks(const RunFacts& facts, Findings& found);
void findLowCoverage(const RunFacts& facts, Findings& found);
void findMissingSamples(const RunFacts& facts, Findings& found);
void findWarmup(const RunFacts& facts, Findings& found);
void findAveragingSensor(const RunFacts& facts, Findings& found);
void findUnsettled(const RunFacts& facts, Findings& found);
void findImplausibleMfu(const RunFacts& facts, Findings& found);

// Heat and power.
void findFrontRearGradient(const RunFacts& facts, Findings& found);
void findThrottling(const RunFacts& facts, Findings& found);
void findPowerSwing(const RunFacts& facts, Findings& found);
void findStagePower(const RunFacts& facts, Findings& found);

// GPUs and nodes that differ.
void findOutlierGpus(const RunFacts& facts, Findings& found);
void findNodeSpread(const RunFacts& facts, Findings& found);
void findPcieConcentration(const RunFacts& facts, Findings& found);
void findBusyLinks(const RunFacts& facts, Findings& found);

// Traces.
void findExposedCommunication(const RunFacts& facts, Findings& found);
void findIdleTime(const RunFacts& facts, Findings& found);
void findHostBound(const RunFacts& facts, Findings& found);
void findBubbles(const RunFacts& facts, Findings& found);
void findStraggler(const RunFacts& facts, Findings& found);
void findLinkUse(const RunFacts& facts, Findings& found);
void findClockOffsets(const RunFacts& facts, Findings& found);

// Every rule, the costliest finding first, then by severity.
Findings applyRules(const RunFacts& facts);

} // namespace trainscope::analysis
