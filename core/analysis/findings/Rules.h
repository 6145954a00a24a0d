#pragma once
// The rules that turn the facts of a run into findings, and their thresholds.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/analysis/traces/WaitCauses.h"

namespace trainscope::analysis {

// From where on each rule speaks. Set so that a run without defects gives no findings.

inline constexpr double kSeriousCost = 0.05; // share of the GPUs' time
inline constexpr double kGradientC = 5.0; // rear − front
inline constexpr double kThrottleFraction = 0.01;
inline constexpr double kAboveLimitFraction = 0.01; // share of the GPUs' time
inline constexpr double kStagePowerExcess = 0.05; // above the mean of the other stages
inline constexpr double kExposedFraction = 0.05; // share of the traced time
inline constexpr double kIdleFraction = 0.20; // share of the traced time
inline constexpr double kCopyFraction = 0.05; // share of the traced time, while no kernel runs
inline constexpr double kHostBoundFraction = 0.05; // share of the traced time
inline constexpr double kSlowOperators = 0.05; // share of the traced time, above the roofline
inline constexpr double kSmallKernels = 0.10; // share of the traced time
inline constexpr double kLaunchBound = 0.05; // share of the traced time, on the host
inline constexpr double kRecomputed = 0.01; // share of the traced time
inline constexpr double kCopies = 0.05; // share of the traced time
inline constexpr double kBubbleOverIdeal = 1.25; // measured / ideal
inline constexpr double kBubbleFraction = 0.05;
inline constexpr double kSwingFraction = 0.10; // peak to peak / mean power
inline constexpr double kSwingPeriods = 5.0; // in the run: slower ones are its course
inline constexpr double kStragglerShare = 0.1; // share of all waiting
inline constexpr double kStragglerOverFair = 1.5; // × the mean of those that cause no more
inline constexpr double kStragglerWait = 0.005; // caused wait / traced time
inline constexpr double kStragglerCertain = 0.5; // caused wait beyond the clocks' uncertainty
inline constexpr std::int64_t kStragglerCollectives = 10;
inline constexpr double kBesideShare = 0.3; // share of the caused wait, with another rank late
inline constexpr double kLinkUse = 0.5; // share of the peak while busy
inline constexpr double kLinkTime = 0.01; // transfer time / traced time
inline constexpr double kLinkSaturated = 0.8; // share of the peak while busy, by counters
inline constexpr double kHiddenIterations = 0.5; // share of an iteration: slower sensors hide it
inline constexpr double kMostMfu = 1.0;
inline constexpr double kNodeSpread = 0.05; // std. dev. of node means / mean
inline constexpr double kNodeApart = 0.10; // power of a node from the median of all
inline constexpr double kLeastRest = 0.08; // share of a node's energy: processors, fans and losses
inline constexpr double kMostRest = 0.60;
inline constexpr double kRestApart = 0.10; // from the median of the nodes
inline constexpr double kGpuSlow = 0.90; // clock / median of all
inline constexpr double kGpuPower = 0.80; // power / median of all
inline constexpr double kGpuHotC = 10.0; // above the median of all
inline constexpr double kPcieShare = 0.60; // carried by a quarter of the GPUs
inline constexpr double kPcieBytes = 1e9;
inline constexpr double kUnallocated = 0.30; // share of the reserved bytes, at the most allocated
inline constexpr std::int64_t kUnallocatedBytes = std::int64_t{1} << 30;
inline constexpr double kCoverage = 0.95;
inline constexpr double kMissingSamples = 0.05;
inline constexpr std::int64_t kClockOffsetNs = 10'000;

constexpr Severity severityOfCost(double cost) {
    return cost >= kSeriousCost ? Severity::Serious : Severity::Attention;
}

// "3 of 8 GPUs"; "the GPU" of a run that has one.
std::string partOfGpus(std::int64_t part, std::int64_t all);

using Findings = std::vector<Finding>;
// Adds what it finds, with its threshold and denominator, and nothing where the facts cannot carry
// it.
using Rule = void(const RunFacts& facts, Findings& found);

// Data: what the figures of a run rest on.
Rule findOutOfMemory, findAllocatorLimits, findMissingRanks, findUnreachedCollectives,
    findLowCoverage, findMissingSamples, findWarmup, findAveragingSensor, findUnsettled,
    findImplausibleMfu, findReportedMfu, findPowerSpikes, findContradictingEnergy,
    findPowerOfOtherUnit, findEarlyWork, findOverrunKernels, findEmptySteps, findStepChange;

// Heat and power.
Rule findFrontRearGradient, findThrottling, findAboveLimit, findPowerSwing, findStagePower;

// GPUs and nodes that differ.
Rule findOutlierGpus, findNodeSpread, findNodePower, findRestOfNode, findPcieConcentration,
    findBusyLinks, findHistory;

// Traces.
Rule findExposedCommunication, findIdleTime, findCopies, findHostBound, findBubbles, findStraggler,
    findLinkUse, findClockOffsets;

// Operators, by the call trees of traces.
Rule findSlowOperators, findSmallKernels, findLaunchBound, findRecomputation, findHiddenCopies;

// Data that checks want.
enum class Need {
    Nothing,
    Telemetry,
    Power,
    Limit,
    Counter,
    Clock,
    Temperature,
    Links,
    NodePower,
    Trace,
    Calls,
    RankTraces,
    Stages,
    Steps,
    Model,
    Snapshot,
    FlightRecords,
    Past,
};
// A property of the machine without which a check means nothing.
enum class Applies { Always, SeveralGpus, SeveralNodes, SeveralStages, KnownGpus };

// A check that an overview tells of, and the rules that make it: one or two.
struct Check {
    const char* name;
    Need need;
    Applies applies;
    std::array<Rule*, 2> rules;
};
std::span<const Check> allChecks(); // every rule stands in one of them

// Every rule, the costliest finding first, then by severity.
Findings applyRules(const RunFacts& facts);

// The stragglers of a run: the ranks whose doing so much of the waiting is that it is no chance,
// and what of the GPUs' idle time and exposed communication their lateness explains. Pure.

// By the waiting that is their doing, most first. A rank is one where its share is at least
// kStragglerShare and exceeds the mean of the ranks that cause no more than it by
// kStragglerOverFair, and its waiting is at least kStragglerWait of the traced time.
std::vector<const WaitCause*> stragglersOf(const RunFacts& facts);

// The traced devices without the time that the stragglers explain: what others waited for them
// exposed, what those could not have used as they waited anyway, and the idle time that made the
// stragglers late.
std::vector<TracedDevice> withoutStragglers(const RunFacts& facts);

} // namespace trainscope::analysis
