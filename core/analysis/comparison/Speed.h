#pragma once
// The first sentence on any two runs, or parts of one: which takes longer for its work, by how
// much, and where in the step the difference lies.
//
// Rule: the time of a step; the time of a token where both state their tokens per step and these
// differ. A difference within the spread over iterations (Spread.h) is none. If the traces of
// both cover whole steps, parts of the step (TraceMeasures.h) are compared.

#include "core/analysis/comparison/RunMeasures.h"

namespace trainscope::analysis {

struct Speed {
    // "compiled takes 15.0 % less time per step: Elementwise 72 ms against 110 ms",
    // "No difference beyond the spread: 60.8 ms and 60.5 ms per step"; no period.
    std::string headline;
    std::string reason; // the times, and by what it is told; one or two sentences
};
Speed speedOf(const RunMeasures& a, const RunMeasures& b);

// A part of the step in both, in seconds.
struct PartChange {
    std::string title; // "GEMM", "AllReduce exposed", "backward"
    double a = 0.0;
    double b = 0.0;
    [[nodiscard]] double change() const { return b - a; }
};
// Parts that differ, the greatest change first. Empty unless both traces cover whole steps, and by
// phase unless both or neither tell forward from backward.
std::vector<PartChange> categoryChanges(const RunMeasures& a, const RunMeasures& b);
std::vector<PartChange> phaseChanges(const RunMeasures& a, const RunMeasures& b);

// The run's name; beside another part of the same run that of the capture, or "the whole run".
std::string sideName(const RunMeasures& side, const RunMeasures& other);

// "GEMM", "AllReduce exposed", "Idle"
std::string titleOf(const BreakdownPart& part);

} // namespace trainscope::analysis
