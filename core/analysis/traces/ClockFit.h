#pragma once
// How far one clock is ahead of another, from matched calls, with a bound of the error.
//
// Estimate: all parts of a collective end together, so the difference of the ends is that of the
// clocks; a robust line through them gives offset and drift. Bounds: no part of a synchronising
// collective ends before the last has started, so start_b − end_a ≤ difference ≤ end_b − start_a
// for every collective: the lines that satisfy all of these are a convex set (cf. Duda et al.,
// "Estimating Global Time in Distributed Systems", 1987), whatever the ends do. Pure; any thread.

#include "core/analysis/traces/SequenceMatch.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace trainscope::analysis {

struct ClockFit {
    std::int64_t offsetNs = 0; // b − a at a's time `at`
    TimeNs at;
    double drift = 0.0; // of b against a, as a fraction
    double driftError = 0.0; // one standard deviation
    double uncertaintyNs = 0.0; // of the difference, from `at` to the last of the calls
    double residualNs = 0.0; // standard deviation of the ends about the line
    std::int64_t collectives = 0; // that count
    bool isBounded = false; // the bound is that of the convex set, else of the scatter
};

// Absent without calls.
std::optional<ClockFit> fitClocks(std::span<const MatchedCall> calls, TimeNs at);

} // namespace trainscope::analysis
