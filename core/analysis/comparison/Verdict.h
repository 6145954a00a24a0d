#pragma once
// Verdict on two runs, with reasons in numbers: which is faster; and of a pair of few large GPUs
// (scale-up) and many small ones (scale-out), which served better.
//
// Roles: scale-up has fewer GPUs, each with more memory or more compute and less of neither; of
// GPUs of one kind, the one with no more GPUs in larger nodes. If the GPUs are not
// known, the one with fewer GPUs, and the verdict says so.
// Rule: tokens per joule and tokens per second and GPU decide. A difference counts when it is
// beyond the spread over iterations (Spread.h, at kVerdictConfidence, so that chance decides one
// verdict in a hundred) and at least kLeastDifference. Both for one run, or one of them while the
// other does not count: that run wins. Neither counts and both are known to within kTieWithin: a
// tie. Else it is undecided: they disagree, the spread is too large, there are too few iterations,
// the work differs, or a run ended out-of-memory. Without energy of both, tokens per second and GPU
// decide alone. Predicted runs have no spread: where one is predicted, a difference counts from
// kPredictedWithin on and nothing is a tie. For other pairs (before and after, captures of one run)
// the headline is the first sentence.

#include "core/analysis/comparison/RunMeasures.h"

namespace trainscope::analysis {

inline constexpr double kVerdictConfidence = 0.99;
inline constexpr double kLeastDifference = 0.01;
inline constexpr double kTieWithin = 0.05;
inline constexpr double kPredictedWithin = 0.15; // possible error of an uncalibrated prediction

enum class Winner { ScaleUp, ScaleOut, Tie, Undecided };
constexpr auto namesOf(Winner) {
    return enumNames("scale-up", "scale-out", "tie", "undecided");
}

// One reason; a and b are the figures of the two runs in the order they were given.
struct Statement {
    std::string text;
    std::string quantity; // key of a quantity, or "memory_headroom_b", "inter_node_bandwidth", …
    std::optional<double> a;
    std::optional<double> b;
    bool isEstimate = false; // the text says so too
};

struct Verdict {
    Winner winner = Winner::Undecided;
    std::string by; // the quantity that decided: "tokens_per_j"; empty where nothing did
    std::string first; // the faster one, by how much (Speed.h); no period
    std::string headline; // "Scale-up wins per joule and per GPU, scale-out per second", or first
    std::string reason; // one sentence on the main cause
    // Largest cost of the loser against the winner: "exposed_communication" (transfers that no
    // compute hides), "pipeline_bubble" (idle, or waiting for a neighbour, of a pipeline),
    // "waiting" (in other collectives, for GPUs that come late), "idle", "thermal_throttling",
    // "power_throttling", "low_clocks", "compute", "power"; empty: unknown, for example where the
    // traces do not cover a step of both.
    std::string cause;
    std::optional<std::size_t> scaleUp; // 0 or 1: which of the two it is; absent: no such pair
    std::vector<Statement> statements; // the most telling first

    // The reason, behind the headline where that is not the first sentence.
    [[nodiscard]] std::string explanation() const;
};

Verdict verdictOf(const RunMeasures& a, const RunMeasures& b);

// Both state their model, and it is another one: figures of their speed do not compare.
bool ranOtherModels(const RunMeasures& a, const RunMeasures& b);

} // namespace trainscope::analysis
