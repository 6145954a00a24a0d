#pragma once
// Roles of two runs: the scale-up one and the scale-out one, and whether both did the same work.

#include "core/analysis/comparison/RunMeasures.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct Roles {
    std::optional<std::size_t> scaleUp; // 0: a, 1: b; absent: not such a pair
    std::string why; // for people: by what it is told, or why it is none
    bool isAssumed = false; // the GPUs are not known: by their number alone
};
Roles rolesOf(const RunMeasures& a, const RunMeasures& b);

// The model, global batch, sequence length, precision and kind of work that both were told to do.
struct WorkDifference {
    std::string what; // "global batch"
    std::string a; // as stated, "128"; empty: not stated
    std::string b;
    bool isEqual = false; // though it may be written differently
    [[nodiscard]] bool isKnown() const { return !a.empty() && !b.empty(); }
    [[nodiscard]] std::string text() const; // "global batch (128 against 64)"
};
// Those that differ, and those that one of them does not state.
std::vector<WorkDifference> workDifferences(const RunMeasures& a, const RunMeasures& b);

} // namespace trainscope::analysis
