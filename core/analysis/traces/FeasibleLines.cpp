#include "core/analysis/traces/FeasibleLines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace trainscope::analysis {

namespace {

constexpr double kMostSlope = 300e-6;
constexpr int kSteps = 90; // of a search that keeps 2/3 each: 300 ppm to 1e-19

template <typename Value>
double argmaxConcave(double low, double high, const Value& value) {
    for (int i = 0; i < kSteps; ++i) {
        const double third = (high - low) / 3.0;
        if (value(low + third) < value(high - third))
            low += third;
        else
            high -= third;
    }
    return (low + high) / 2.0;
}

// Where a condition that holds at `inside` ends towards `outside`.
template <typename Condition>
double boundary(double inside, double outside, const Condition& holds) {
    if (holds(outside))
        return outside;
    for (int i = 0; i < kSteps; ++i) {
        const double middle = (inside + outside) / 2.0;
        (holds(middle) ? inside : outside) = middle;
    }
    return inside;
}

// Of the points, those that can be touched from above (sign 1) or below (−1).
template <typename Point>
void toHull(std::vector<Point>& points, double sign) {
    std::sort(points.begin(), points.end(), [sign](const Point& a, const Point& b) {
        return a.x != b.x ? a.x < b.x : sign * a.y > sign * b.y;
    });
    std::vector<Point> hull;
    for (const Point& point : points) {
        if (!hull.empty() && hull.back().x == point.x)
            continue;
        while (hull.size() > 1) {
            const Point& a = hull[hull.size() - 2];
            const Point& b = hull.back();
            const double turn = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
            if (sign * turn < 0.0)
                break;
            hull.pop_back();
        }
        hull.push_back(point);
    }
    points = std::move(hull);
}

} // namespace

void FeasibleLines::reduce() const {
    if (m_reduced == m_lower.size() + m_upper.size())
        return;
    toHull(m_lower, 1.0);
    toHull(m_upper, -1.0);
    m_reduced = m_lower.size() + m_upper.size();
}

double FeasibleLines::lowest(double slope) const {
    double least = -std::numeric_limits<double>::infinity();
    for (const Point& point : m_lower)
        least = std::max(least, point.y - slope * point.x);
    return least;
}

double FeasibleLines::highest(double slope) const {
    double greatest = std::numeric_limits<double>::infinity();
    for (const Point& point : m_upper)
        greatest = std::min(greatest, point.y - slope * point.x);
    return greatest;
}

std::optional<std::pair<double, double>> FeasibleLines::valuesAt(double x) const {
    if (m_lower.empty() || m_upper.empty())
        return std::nullopt;
    reduce();
    const auto room = [this](double slope) { return highest(slope) - lowest(slope); };
    const double best = argmaxConcave(-kMostSlope, kMostSlope, room);
    if (room(best) < 0.0)
        return std::nullopt;
    const auto isPossible = [&](double slope) { return room(slope) >= 0.0; };
    const double steepestDown = boundary(best, -kMostSlope, isPossible);
    const double steepestUp = boundary(best, kMostSlope, isPossible);
    const auto top = [&](double slope) { return highest(slope) + slope * x; };
    const auto bottom = [&](double slope) { return -(lowest(slope) + slope * x); };
    return std::pair{-bottom(argmaxConcave(steepestDown, steepestUp, bottom)),
        top(argmaxConcave(steepestDown, steepestUp, top))};
}

} // namespace trainscope::analysis
