#pragma once
// The reasons of a verdict, in numbers.

#include "core/analysis/comparison/Verdict.h"

namespace trainscope::analysis {

// Names of the two for people: their clusters where these differ, else their own names.
struct Labels {
    std::string a;
    std::string b;
    Labels(const RunMeasures& a, const RunMeasures& b);
};

// "DP between nodes", "TP inside nodes over NVSwitch": a group and the links that carry it.
std::string carrierText(const RunMeasures& run, const ExposedCommunication& group);

// Throughput in all and per GPU, energy, exposed communication with the group and link that carry
// most of it, parts of the step that changed, memory headroom, peak power, throttling: as far as
// both or one of them can give them. Last, why throughput, energy or exposed communication cannot
// be told, each reason once.
std::vector<Statement> statementsOf(const RunMeasures& a, const RunMeasures& b);

// Adds the loser's largest cost (Verdict::cause) against the winner (0 or 1), in GPU-seconds per
// token: puts the statement first and names the cause.
void addCause(Verdict& verdict, const RunMeasures& a, const RunMeasures& b, std::size_t winner);

// At which inter-node bandwidth and global batch the verdict would turn (below), by the
// quantity that decided.
void addBreakEvenPoints(Verdict& verdict, const RunMeasures& a, const RunMeasures& b);

// Break-even points: how much faster a network, or how much larger a batch, must be for the verdict
// between two runs to change. A token costs a run GPU-seconds or joules: a part of them stays and
// a part shrinks with x: cost(x) = fixed + scaled / x. The difference of two such costs changes its
// sign once at most, so there is one x or none:
//   x = (scaled_b − scaled_a) / (fixed_a − fixed_b).
// x is how many times as fast the networks between nodes are (scaled: exposed transfers between
// nodes), or how many times as large the global batch is (scaled: what a step takes once, whatever
// its batch). Estimates: they leave out all but what they name.

struct ShrinkingCost {
    double fixed = 0.0;
    double scaled = 0.0;

    [[nodiscard]] double cost(double x) const { return fixed + scaled / x; }
};

// x > 0; absent where there is none.
std::optional<double> breakEvenAt(const ShrinkingCost& a, const ShrinkingCost& b);

} // namespace trainscope::analysis
