#pragma once
// Lines through points with errors, and the offset and drift of one clock against another.

#include "core/analysis/traces/SequenceMatch.h"

namespace trainscope::analysis {

// The lines y = α + β·x that lie on or above some points and on or below others, with |β| up to
// 300 ppm: a convex set of (α, β). Pure; one thread.
class FeasibleLines {
public:
    void addLower(double x, double y) { m_lower.push_back({x, y}); }
    void addUpper(double x, double y) { m_upper.push_back({x, y}); }

    // The least and the greatest value of such a line at x; absent when there is none, or no point
    // to one of the sides.
    [[nodiscard]] std::optional<std::pair<double, double>> valuesAt(double x) const;

private:
    struct Point {
        double x = 0.0;
        double y = 0.0;
    };
    [[nodiscard]] double lowest(double slope) const; // least α
    [[nodiscard]] double highest(double slope) const; // greatest α
    void reduce() const;

    // Reduced to their hulls when first asked.
    mutable std::vector<Point> m_lower;
    mutable std::vector<Point> m_upper;
    mutable std::size_t m_reduced = 0;
};

// A line through points of which some are wrong; both coordinates in ns. Pure; any thread.
inline constexpr double kUsualDrift = 80e-6; // standard deviation of clocks that nobody set

struct LinePoint {
    double x = 0.0;
    double y = 0.0;
};

struct RobustLine {
    double x0 = 0.0; // mean x of the points that count
    double y0 = 0.0; // value there
    double slope = 0.0;
    double spread = 0.0; // standard deviation about the line, from the median deviation
    double slopeError = 0.0; // one standard deviation
    std::size_t count = 0; // points that count

    [[nodiscard]] double at(double x) const { return y0 + slope * (x - x0); }
};

// Theil-Sen (P. K. Sen, "Estimates of the Regression Coefficient Based on Kendall's Tau", JASA 63,
// 1968) on a selection of the points, then least squares over those within 6 spreads. `usualSlope`
// is the standard deviation of slopes known beforehand: few points close together give 0 rather
// than nonsense. Points in any order, at least one.
RobustLine fitRobustLine(std::span<const LinePoint> points, double usualSlope);

// Offset of one clock from another, from matched calls, with a bound of the error.
//
// Estimate: all parts of a collective end together, so the difference of the ends is that of the
// clocks; a robust line through them gives offset and drift. Bounds: no part of a synchronising
// collective ends before the last has started, so start_b − end_a ≤ difference ≤ end_b − start_a
// for every collective: the lines that satisfy all of these are a convex set (cf. Duda et al.,
// "Estimating Global Time in Distributed Systems", 1987), whatever the ends do. Pure; any thread.
struct ClockFit {
    std::int64_t offsetNs = 0; // b − a at a's time `at`
    TimeNs at;
    double drift = 0.0; // drift of b against a, as a fraction
    double driftError = 0.0; // one standard deviation
    double uncertaintyNs = 0.0; // uncertainty of the difference, from `at` to `last`
    TimeNs last; // a's time of the end of the last call, no earlier than `at`
    // Growth of the uncertainty per ns before `at` and after `last`, from the error of the drift.
    // Clocks are taken to drift by no more than 300 ppm.
    double growth = 0.0;
    double residualNs = 0.0; // standard deviation of the ends about the line
    std::int64_t collectives = 0; // counted ones
    bool isBounded = false; // the bound is that of the convex set, else of the scatter
};

// Absent without calls.
std::optional<ClockFit> fitClocks(std::span<const MatchedCall> calls, TimeNs at);

} // namespace trainscope::analysis
