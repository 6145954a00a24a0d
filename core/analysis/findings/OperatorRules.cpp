#include "core/analysis/findings/Rules.h"
#include "core/analysis/findings/Stragglers.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostPartsTold = 3;

Evidence tracedEvidence(const RunFacts& facts) {
    return facts.traced.empty()
        ? Evidence{}
        : Evidence{facts.traced.front().rank, facts.traced.front().window, {}};
}

std::string partName(const OperatorPart& part) {
    return part.shape.empty() ? part.name : part.name + " of " + part.shape;
}

// "a 3 %, b 2 %": the largest, as shares of the traced time.
std::string listOf(
    const std::vector<OperatorPart>& parts, double OperatorPart::*seconds, double tracedS) {
    std::string list;
    for (std::size_t i = 0; i < std::min(parts.size(), kMostPartsTold); ++i)
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", partName(parts[i]),
            text::roundedPercent(parts[i].*seconds / tracedS));
    return list;
}

// Work that takes a share of the traced time, and where most of it is.
struct OperatorShare {
    const char* rule;
    const char* sentence; // {} the share, {} the list of parts
    double least; // share of the traced time
    double OperatorFacts::*seconds;
    std::vector<OperatorPart> OperatorFacts::*parts;
    double OperatorPart::*ofPart;
    const char* denominator;
};

constexpr OperatorShare kSlowShare{"slow_operators",
    "Operators far below the roofline take {} of the traced time more than they need: {}.",
    kSlowOperators, &OperatorFacts::savedS, &OperatorFacts::slow, &OperatorPart::savedS,
    "time above what the GPU's peak and memory bandwidth allow, by recorded shapes; operators of "
    "unknown work and calls under 10 µs are left out"};
constexpr OperatorShare kSmallShare{"small_kernels", "{} of the traced time; most in {}.",
    kSmallKernels, &OperatorFacts::smallS, &OperatorFacts::smallIn, &OperatorPart::seconds,
    "kernels whose mean is shorter than what starting one takes"};
constexpr OperatorShare kRecomputedShare{"recomputation",
    "Forward work is done again for the backward pass for {} of the traced time; most of it {}. It "
    "saves memory: with enough of that it can go.",
    kRecomputed, &OperatorFacts::recomputedS, &OperatorFacts::recomputed, &OperatorPart::seconds,
    "work launched by forward operators inside the backward pass"};
constexpr OperatorShare kCopiedShare{"hidden_copies",
    "Kernels that copy or convert tensors take {} of the traced time; most in {}.", kCopies,
    &OperatorFacts::copiedS, &OperatorFacts::copiedIn, &OperatorPart::seconds,
    "kernels of operators that copy, convert or join tensors"};

// nullptr: it does not speak.
Finding* addOperatorShare(const OperatorShare& one, const RunFacts& facts, Findings& found) {
    const double tracedS = facts.tracedS();
    if (!facts.operators || !(tracedS > 0.0))
        return nullptr;
    const OperatorFacts& all = *facts.operators;
    const double seconds = all.*one.seconds;
    const double share = seconds / tracedS;
    if (share < one.least)
        return nullptr;
    found.push_back({one.rule,
        fmt::format(fmt::runtime(one.sentence), text::roundedPercent(share),
            listOf(all.*one.parts, one.ofPart, tracedS)),
        {{"fraction", share}, {"seconds", seconds}, {"traced_s", tracedS}}, tracedEvidence(facts),
        text::roundedPercent(one.least) + " of the traced time", one.denominator,
        severityOfCost(share), share});
    return &found.back();
}

// "12 of 40 kernels", "All 40 kernels", "The only kernel".
std::string smallOfAll(std::int64_t small, std::int64_t all) {
    if (all == 1)
        return "The only kernel";
    return small == all ? "All " + text::counted(all, "kernel")
                        : fmt::format("{} of {}", text::withMarks(std::to_string(small)),
                            text::counted(all, "kernel"));
}

} // namespace

void findSlowOperators(const RunFacts& facts, Findings& found) {
    if (Finding* const slow = addOperatorShare(kSlowShare, facts, found))
        slow->threshold += fmt::format(", of operators that reach less than {} of the roofline",
            text::roundedPercent(kLowRoofline));
}

void findSmallKernels(const RunFacts& facts, Findings& found) {
    Finding* const small = addOperatorShare(kSmallShare, facts, found);
    if (small == nullptr)
        return;
    const OperatorFacts& all = *facts.operators;
    const bool isOne = all.smallKernels == 1;
    small->text = fmt::format("{} {} shorter than {} and {} {}",
        smallOfAll(all.smallKernels, all.kernels), isOne ? "is" : "are",
        text::seconds(kSmallKernelS), isOne ? "takes" : "take", small->text);
    small->values["small_kernels"] = static_cast<double>(all.smallKernels);
    small->values["kernels"] = static_cast<double>(all.kernels);
}

void findLaunchBound(const RunFacts& facts, Findings& found) {
    const double tracedS = facts.tracedS();
    double waited = 0.0;
    for (const TracedDevice& device : withoutStragglers(facts))
        waited += device.hostBoundS;
    // Calls are long as well where they wait for the GPU: only where the GPU waits for them.
    if (!facts.operators || facts.operators->launchBound.empty()
        || waited < kHostBoundFraction * tracedS)
        return;
    const OperatorPart& longest = facts.operators->launchBound.front();
    if (longest.hostS < kLaunchBound * tracedS)
        return;
    // Threads and ranks call at the same time: theirs is no share of the traced time.
    const double share = waited / tracedS;
    found.push_back({"launch_bound",
        fmt::format("Calls of {} take {} to launch {} of work: GPUs wait for the host for {} of "
                    "the traced time.",
            longest.name, text::seconds(longest.hostS), text::seconds(longest.seconds),
            text::roundedPercent(share)),
        {{"fraction", share}, {"host_s", longest.hostS}, {"work_s", longest.seconds},
            {"traced_s", tracedS}},
        tracedEvidence(facts),
        fmt::format("{} of the traced time, {:g} times the work's",
            text::roundedPercent(kLaunchBound), text::worded(kHostOverWork)),
        "time on the host of the innermost modules and annotations, of runs whose GPUs wait for "
        "the "
        "host",
        Severity::Attention, 0.0});
}

void findRecomputation(const RunFacts& facts, Findings& found) {
    if (Finding* const again = addOperatorShare(kRecomputedShare, facts, found))
        again->severity = Severity::Attention; // it was chosen
}

void findHiddenCopies(const RunFacts& facts, Findings& found) {
    addOperatorShare(kCopiedShare, facts, found);
}

} // namespace trainscope::analysis
