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

struct PartsFinding {
    const char* rule;
    std::string text;
    std::string threshold;
    std::string denominator;
    double share = 0.0;
    double seconds = 0.0;
};

void addParts(const PartsFinding& one, const RunFacts& facts, Findings& found) {
    found.push_back({one.rule, one.text,
        {{"fraction", one.share}, {"seconds", one.seconds}, {"traced_s", facts.tracedS()}},
        tracedEvidence(facts), one.threshold, one.denominator, severityOfCost(one.share),
        one.share});
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
    const double tracedS = facts.tracedS();
    if (!facts.operators || !(tracedS > 0.0))
        return;
    double saved = 0.0;
    for (const OperatorPart& part : facts.operators->slow)
        saved += part.savedS;
    const double share = saved / tracedS;
    if (share < kSlowOperators)
        return;
    addParts(
        {"slow_operators",
            fmt::format("Operators far below the roofline take {} of the traced time more than "
                        "they need: {}.",
                text::roundedPercent(share),
                listOf(facts.operators->slow, &OperatorPart::savedS, tracedS)),
            fmt::format("{} of the traced time, of operators that reach less than {} of the "
                        "roofline",
                text::roundedPercent(kSlowOperators), text::roundedPercent(kLowRoofline)),
            "time above what the GPU's peak and memory bandwidth allow, by recorded shapes; "
            "operators of unknown work and calls under 10 µs are left out",
            share, saved},
        facts, found);
}

void findSmallKernels(const RunFacts& facts, Findings& found) {
    const double tracedS = facts.tracedS();
    if (!facts.operators || !(tracedS > 0.0))
        return;
    const OperatorFacts& all = *facts.operators;
    const double share = all.smallS / tracedS;
    if (share < kSmallKernels)
        return;
    addParts(
        {"small_kernels",
            fmt::format("{} {} shorter than {} and {} {} of the traced time; most in {}.",
                smallOfAll(all.smallKernels, all.kernels), all.smallKernels == 1 ? "is" : "are",
                text::seconds(kSmallKernelS), all.smallKernels == 1 ? "takes" : "take",
                text::roundedPercent(share), listOf(all.smallIn, &OperatorPart::seconds, tracedS)),
            text::roundedPercent(kSmallKernels) + " of the traced time",
            "kernels whose mean is shorter than what starting one takes", share, all.smallS},
        facts, found);
    found.back().values["small_kernels"] = static_cast<double>(all.smallKernels);
    found.back().values["kernels"] = static_cast<double>(all.kernels);
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
    const double tracedS = facts.tracedS();
    if (!facts.operators || !(tracedS > 0.0))
        return;
    const double share = facts.operators->recomputedS / tracedS;
    if (share < kRecomputed)
        return;
    addParts(
        {"recomputation",
            fmt::format("Forward work is done again for the backward pass for {} of the traced "
                        "time; most of it {}. It saves memory: with enough of that it can go.",
                text::roundedPercent(share),
                listOf(facts.operators->recomputed, &OperatorPart::seconds, tracedS)),
            text::roundedPercent(kRecomputed) + " of the traced time",
            "work launched by forward operators inside the backward pass", share,
            facts.operators->recomputedS},
        facts, found);
    found.back().severity = Severity::Attention; // it was chosen
}

void findHiddenCopies(const RunFacts& facts, Findings& found) {
    const double tracedS = facts.tracedS();
    if (!facts.operators || !(tracedS > 0.0))
        return;
    const double share = facts.operators->copiedS / tracedS;
    if (share < kCopies)
        return;
    addParts(
        {"hidden_copies",
            fmt::format("Kernels that copy or convert tensors take {} of the traced time; most in "
                        "{}.",
                text::roundedPercent(share),
                listOf(facts.operators->copiedIn, &OperatorPart::seconds, tracedS)),
            text::roundedPercent(kCopies) + " of the traced time",
            "kernels of operators that copy, convert or join tensors", share,
            facts.operators->copiedS},
        facts, found);
}

} // namespace trainscope::analysis
