#include "core/analysis/traces/ClockFit.h"

#include "core/analysis/statistics/Means.h"
#include "core/model/Gather.h"

#include <array>

namespace trainscope::analysis {

namespace {

constexpr double kMostSlope = 300e-6;
constexpr int kSteps = 90; // each keeps 2/3 of the interval: 300 ppm to 1e-19

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

// Point towards `outside` at which a condition that holds at `inside` ends.
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

// Keeps the points that can be touched from above (sign 1) or below (−1).
template <typename Point>
void toHull(std::vector<Point>& points, double sign) {
    std::ranges::sort(points, [sign](const Point& a, const Point& b) {
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
    const auto [low, high] = std::ranges::minmax_element(chosen, {}, &LinePoint::x);
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

constexpr std::size_t kFewestForScatter = 4;
// Student's t for 99.9 % on both sides and 2, 3, … degrees of freedom.
constexpr std::array<double, 12> kStudent{
    31.6, 12.9, 8.61, 6.87, 5.96, 5.41, 5.04, 4.78, 4.59, 4.44, 4.32, 4.22};
constexpr double kNormal = 3.9; // for any more
constexpr double kMessageFactor = 2.0; // a sender may be done a little early every time
constexpr double kMessageSpread = 0.1; // share of a message's time: then its ends do coincide
constexpr double kLeastUncertainty = 1000.0; // ns: traces of old writers count whole µs
constexpr double kOutlier = 8.0; // spreads

class Fit {
public:
    Fit(std::span<const MatchedCall> calls, TimeNs at)
        : m_calls(calls)
        , m_origin(calls[calls.size() / 2].a.end.ns)
        , m_base(clampedDifference(calls[calls.size() / 2].b.end.ns, m_origin))
        , m_at(at) { }

    ClockFit fit() {
        std::vector<LinePoint> points;
        for (const MatchedCall& call : m_calls)
            points.push_back({x(call.a.end), y(call.a.end, call.b.end)});
        m_line = fitRobustLine(points, kUsualDrift);
        ClockFit result;
        result.at = m_at;
        result.last = std::max(m_at, m_calls.back().a.end);
        const double from = x(m_at);
        const double to = x(result.last);
        result.offsetNs = m_base + std::llround(m_line.at(from));
        result.drift = m_line.slope;
        result.driftError = m_line.slopeError;
        result.residualNs = m_line.spread;
        result.collectives = static_cast<std::int64_t>(m_line.count);
        setUncertainty(result, from, to);
        result.growth = growth(points.back().x - points.front().x);
        return result;
    }

private:
    // Relative to a call in the middle: doubles hold hours of ns exactly.
    [[nodiscard]] double x(TimeNs a) const {
        return static_cast<double>(clampedDifference(a.ns, m_origin));
    }
    [[nodiscard]] double y(TimeNs a, TimeNs b) const {
        return static_cast<double>(clampedDifference((b - a).ns, m_base));
    }

    [[nodiscard]] bool isSynchronised() const {
        return std::ranges::all_of(
            m_calls, [](const MatchedCall& call) { return call.a.synchronises; });
    }

    [[nodiscard]] double quantile() const {
        const std::size_t freedom = m_line.count - kFewestForScatter;
        return freedom < kStudent.size() ? kStudent[freedom] : kNormal;
    }

    // One spread for what makes a rank end early or late every time, and the error of the line.
    [[nodiscard]] double scatter(double at) const {
        const double mean = m_line.spread / std::sqrt(static_cast<double>(m_line.count));
        return m_line.spread + quantile() * std::hypot(mean, m_line.slopeError * (at - m_line.x0));
    }

    // Growth of the uncertainty per ns, from calls that lie within `length` ns.
    [[nodiscard]] double growth(double length) const {
        const double most = kMostSlope + std::abs(m_line.slope);
        if (m_line.count < kFewestForScatter || length <= 0.0)
            return most;
        // Ends in whole µs can lie on a line without a spread and yet not tell the drift.
        const double least = kLeastUncertainty / length;
        const double factor = isSynchronised() ? 1.0 : kMessageFactor;
        return std::min(most, std::max(least, factor * quantile() * m_line.slopeError));
    }

    [[nodiscard]] double bound(const FeasibleLines& lines, double at) const {
        const auto range = lines.valuesAt(at);
        if (!range)
            return std::numeric_limits<double>::infinity();
        const double estimate = m_line.at(at);
        return std::max({range->second - estimate, estimate - range->first, 0.0});
    }

    void setUncertainty(ClockFit& result, double from, double to) {
        FeasibleLines lines;
        std::vector<double> durations;
        const double gate = kOutlier * m_line.spread + kLeastUncertainty;
        for (const MatchedCall& call : m_calls) {
            if (std::abs(y(call.a.end, call.b.end) - m_line.at(x(call.a.end))) > gate)
                continue;
            lines.addLower(x(call.a.end), y(call.a.end, call.b.start));
            lines.addUpper(x(call.a.start), y(call.a.start, call.b.end));
            durations.push_back(static_cast<double>((call.a.end - call.a.start).ns));
        }
        const double bounds = std::max(bound(lines, from), bound(lines, to));
        if (m_line.count < kFewestForScatter) {
            result.isBounded = std::isfinite(bounds);
            result.uncertaintyNs
                = std::max(kLeastUncertainty, result.isBounded ? bounds : longest());
            return;
        }
        double scattered = std::max(scatter(from), scatter(to));
        if (!isSynchronised()) {
            // A message's sender may be done before its receiver has begun: no bounds then.
            const bool endTogether = m_line.spread < kMessageSpread * medianOf(durations);
            scattered = endTogether ? kMessageFactor * scattered : std::max(scattered, longest());
        }
        result.isBounded = isSynchronised() && bounds < scattered;
        result.uncertaintyNs = std::max(kLeastUncertainty, result.isBounded ? bounds : scattered);
    }

    // Parts of one collective that end apart by more than it lasts would hardly be taken for one.
    [[nodiscard]] double longest() const {
        double most = 0.0;
        for (const MatchedCall& call : m_calls)
            most = std::max({most, static_cast<double>((call.a.end - call.a.start).ns),
                static_cast<double>((call.b.end - call.b.start).ns)});
        return most;
    }

    std::span<const MatchedCall> m_calls;
    std::int64_t m_origin;
    std::int64_t m_base;
    TimeNs m_at;
    RobustLine m_line;
};

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

RobustLine fitRobustLine(std::span<const LinePoint> points, double usualSlope) {
    RobustLine line;
    line.count = points.size();
    std::vector<double> xs = vectorOf(points, &LinePoint::x);
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

std::optional<ClockFit> fitClocks(std::span<const MatchedCall> calls, TimeNs at) {
    return calls.empty() ? std::nullopt : std::optional(Fit(calls, at).fit());
}

} // namespace trainscope::analysis
