#include "core/analysis/traces/RobustLine.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostForSlopes = 80;
constexpr double kNormalFromMedian = 1.4826; // standard deviation / median absolute deviation
constexpr double kOutlierSpreads = 6.0; // spreads
constexpr double kRounding = 1.0; // ns: what a point may be off by without noise
constexpr std::size_t kFewPoints = 16;
constexpr int kRounds = 3;

std::vector<LinePoint> selection(std::span<const LinePoint> points) {
    std::vector<LinePoint> chosen;
    const std::size_t count = std::min(points.size(), kMostForSlopes);
    for (std::size_t i = 0; i < count; ++i)
        chosen.push_back(points[i * points.size() / count]);
    return chosen;
}

double medianSlope(std::span<const LinePoint> points, double most) {
    const auto chosen = selection(points);
    const auto [low, high] = std::minmax_element(chosen.begin(), chosen.end(),
        [](const LinePoint& a, const LinePoint& b) { return a.x < b.x; });
    const double least = (high->x - low->x) / 8.0; // neighbours say little of the slope
    std::vector<double> slopes;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (std::size_t j = i + 1; j < chosen.size(); ++j) {
            const double dx = chosen[j].x - chosen[i].x;
            if (std::abs(dx) > least)
                slopes.push_back((chosen[j].y - chosen[i].y) / dx);
        }
    }
    return slopes.empty() ? 0.0 : std::clamp(medianOf(std::move(slopes)), -most, most);
}

void measureSpread(RobustLine& line, std::span<const LinePoint> points) {
    std::vector<double> residuals;
    residuals.reserve(points.size());
    double squares = 0.0;
    for (const LinePoint& point : points) {
        residuals.push_back(std::abs(point.y - line.at(point.x)));
        squares += residuals.back() * residuals.back();
    }
    line.spread = kNormalFromMedian * medianOf(std::move(residuals));
    // The median of a few says little; with two of them for the line itself.
    if (points.size() > 2 && points.size() < kFewPoints)
        line.spread
            = std::max(line.spread, std::sqrt(squares / static_cast<double>(points.size() - 2)));
}

// Least squares over the points near the line, drawn towards the usual slope.
void refine(RobustLine& line, std::span<const LinePoint> points, double usualSlope) {
    const double gate = kOutlierSpreads * line.spread + kRounding;
    double count = 0.0;
    double sumX = 0.0;
    double sumY = 0.0;
    const auto counts
        = [&](const LinePoint& point) { return std::abs(point.y - line.at(point.x)) <= gate; };
    for (const LinePoint& point : points) {
        if (!counts(point))
            continue;
        count += 1.0;
        sumX += point.x;
        sumY += point.y;
    }
    if (count < 1.0)
        return;
    RobustLine next = line;
    next.x0 = sumX / count;
    next.y0 = sumY / count;
    next.count = static_cast<std::size_t>(count);
    double xx = 0.0;
    double xy = 0.0;
    for (const LinePoint& point : points) {
        if (!counts(point))
            continue;
        xx += (point.x - next.x0) * (point.x - next.x0);
        xy += (point.x - next.x0) * (point.y - next.y0);
    }
    const double variance = line.spread * line.spread;
    const double weight = xx + variance / (usualSlope * usualSlope);
    next.slope = weight > 0.0 ? xy / weight : 0.0;
    next.slopeError = weight > 0.0 && line.spread > 0.0 ? line.spread / std::sqrt(weight) : 0.0;
    line = next;
}

} // namespace

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

RobustLine fitRobustLine(std::span<const LinePoint> points, double usualSlope) {
    RobustLine line;
    line.count = points.size();
    std::vector<double> xs;
    for (const LinePoint& point : points)
        xs.push_back(point.x);
    line.x0 = medianOf(std::move(xs));
    if (points.size() > 2)
        line.slope = medianSlope(points, 6.0 * usualSlope);
    std::vector<double> heights;
    for (const LinePoint& point : points)
        heights.push_back(point.y - line.slope * (point.x - line.x0));
    line.y0 = medianOf(std::move(heights));
    measureSpread(line, points);
    for (int round = 0; round < kRounds && points.size() > 2; ++round) {
        refine(line, points, usualSlope);
        measureSpread(line, points);
    }
    return line;
}

} // namespace trainscope::analysis
