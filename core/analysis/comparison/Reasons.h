#pragma once
// The reasons of a verdict, in numbers.

#include "core/analysis/comparison/Verdict.h"

#include <string>
#include <vector>

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

// At which inter-node bandwidth and global batch the verdict would turn (BreakEven.h), by the
// quantity that decided.
void addBreakEvenPoints(Verdict& verdict, const RunMeasures& a, const RunMeasures& b);

} // namespace trainscope::analysis
