#include "core/analysis/traces/ClockFit.h"

#include "core/analysis/traces/FeasibleLines.h"
#include "core/analysis/traces/RobustLine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kFewestForScatter = 4;
// Student's t for 99.9 % on both sides and 2, 3, … degrees of freedom.
constexpr std::array<double, 12> kStudent{
    31.6, 12.9, 8.61, 6.87, 5.96, 5.41, 5.04, 4.78, 4.59, 4.44, 4.32, 4.22};
constexpr double kNormal = 3.9; // for any more
constexpr double kMessageFactor = 2.0; // a sender may be done a little early every time
constexpr double kMessageSpread = 0.1; // of a message's time: then its ends do coincide
constexpr double kLeastUncertainty = 1000.0; // ns: traces of old writers count whole µs
constexpr double kOutlier = 8.0; // spreads

class Fit {
public:
    Fit(std::span<const MatchedCall> calls, TimeNs at)
        : m_calls(calls)
        , m_origin(calls[calls.size() / 2].a.end.ns)
        , m_base(calls[calls.size() / 2].b.end.ns - m_origin)
        , m_at(at) { }

    ClockFit fit() {
        std::vector<LinePoint> points;
        for (const MatchedCall& call : m_calls)
            points.push_back({x(call.a.end), y(call.a.end, call.b.end)});
        m_line = fitRobustLine(points, kUsualDrift);
        const double from = x(m_at);
        const double to = std::max(from, points.back().x);
        ClockFit result;
        result.at = m_at;
        result.offsetNs = m_base + std::llround(m_line.at(from));
        result.drift = m_line.slope;
        result.driftError = m_line.slopeError;
        result.residualNs = m_line.spread;
        result.collectives = static_cast<std::int64_t>(m_line.count);
        setUncertainty(result, from, to);
        return result;
    }

private:
    // Relative to a call in the middle: doubles hold hours of ns exactly.
    [[nodiscard]] double x(TimeNs a) const { return static_cast<double>(a.ns - m_origin); }
    [[nodiscard]] double y(TimeNs a, TimeNs b) const {
        return static_cast<double>(b.ns - a.ns - m_base);
    }

    // One spread for what makes a rank end early or late every time, and the error of the line.
    [[nodiscard]] double scatter(double at) const {
        const std::size_t freedom = m_line.count - kFewestForScatter;
        const double quantile = freedom < kStudent.size() ? kStudent[freedom] : kNormal;
        const double mean = m_line.spread / std::sqrt(static_cast<double>(m_line.count));
        return m_line.spread + quantile * std::hypot(mean, m_line.slopeError * (at - m_line.x0));
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
        bool isSynchronised = true;
        const double gate = kOutlier * m_line.spread + kLeastUncertainty;
        for (const MatchedCall& call : m_calls) {
            isSynchronised = isSynchronised && call.a.synchronises;
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
        if (!isSynchronised) {
            // A message's sender may be done before its receiver has begun: no bounds then.
            const bool endTogether = m_line.spread < kMessageSpread * medianOf(durations);
            scattered = endTogether ? kMessageFactor * scattered : std::max(scattered, longest());
        }
        result.isBounded = isSynchronised && bounds < scattered;
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

std::optional<ClockFit> fitClocks(std::span<const MatchedCall> calls, TimeNs at) {
    return calls.empty() ? std::nullopt : std::optional(Fit(calls, at).fit());
}

} // namespace trainscope::analysis
