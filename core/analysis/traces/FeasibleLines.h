#pragma once
// The lines y = α + β·x that lie on or above some points and on or below others, with |β| up to
// 300 ppm: a convex set of (α, β). Pure; one thread.

#include <optional>
#include <utility>
#include <vector>

namespace trainscope::analysis {

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

} // namespace trainscope::analysis
