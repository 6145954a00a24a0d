#pragma once
// A line through points of which some are wrong; both coordinates in ns. Pure; any thread.

#include <span>
#include <vector>

namespace trainscope::analysis {

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

double medianOf(std::vector<double> values); // not empty

} // namespace trainscope::analysis
