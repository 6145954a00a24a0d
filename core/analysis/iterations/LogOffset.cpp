#include "core/analysis/iterations/LogOffset.h"

#include "core/text/Times.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kQuarter = 900; // s
constexpr std::int64_t kMostQuarters
    = 56; // 14 hours: Kiribati is so far ahead, the far west 12 behind
constexpr double kLeastShared = 0.5; // share of all work
// By how much the best must be better than the next, of what a quarter of an hour can cost.
constexpr double kLeastLead = 0.25;

struct Stretch {
    double begin = 0.0; // s, from the signal's begin at no offset
    double end = 0.0;
    double level = 0.0;
};

std::vector<Stretch> stretchesFrom(const LoggedWork& work, TimeNs begin) {
    const double usual = usualIteration(work);
    std::vector<Stretch> stretches;
    for (const auto& piece : work.pieces) {
        const double from = (TimeNs{piece.begin.ns} - begin).seconds();
        const double until = (TimeNs{piece.end.ns} - begin).seconds();
        if (until > from)
            stretches.push_back({from, until, busyLevel(piece, usual)});
    }
    return stretches;
}

} // namespace

Result<LogOffset> fitOffset(const LoggedWork& work, const WorkSignal& signal) {
    const auto stretches = stretchesFrom(work, signal.begin);
    double all = 0.0;
    double total = 0.0; // s
    for (const Stretch& stretch : stretches) {
        all += std::abs(stretch.level) * (stretch.end - stretch.begin);
        total += stretch.end - stretch.begin;
    }
    if (all <= 0.0)
        return Error{ErrorCode::NotFound, "The log does not say how long iterations took.", {}};
    if (signal.values.empty())
        return Error{ErrorCode::NotFound, "The power hardly changes while it was recorded.", {}};
    const SignalIntegral integral(signal.values, signal.step.seconds());
    const auto scoreAt = [&](double offset) {
        double score = 0.0;
        for (const Stretch& stretch : stretches)
            score += stretch.level
                * (integral.at(stretch.end - offset) - integral.at(stretch.begin - offset));
        return score;
    };
    std::vector<std::pair<double, std::int64_t>> scores;
    for (std::int64_t quarter = -kMostQuarters; quarter <= kMostQuarters; ++quarter)
        scores.emplace_back(scoreAt(static_cast<double>(quarter * kQuarter)), quarter * kQuarter);
    std::partial_sort(scores.begin(), scores.begin() + 2, scores.end(),
        [](const auto& a, const auto& b) { return a.first > b.first; });
    const auto& [best, seconds] = scores[0];
    const auto& [next, nextSeconds] = scores[1];
    LogOffset offset{
        seconds, std::clamp(best / all, 0.0, 1.0), nextSeconds, std::clamp(next / all, 0.0, 1.0)};
    if (best < kLeastShared * all)
        return Error{ErrorCode::NotFound,
            "With no time zone does the power show the iterations of the log.", {}};
    if (best - next < kLeastLead * std::min(static_cast<double>(kQuarter), total))
        return Error{ErrorCode::NotFound,
            "The power shows the iterations of the log about as well with " + text::zone(seconds)
                + " as with " + text::zone(nextSeconds) + ".",
            {}};
    return offset;
}

std::string offsetText(const LogOffset& offset) {
    const std::string found = text::zone(offset.seconds)
        + ", by the power of its run: " + text::percent(offset.agreement) + " agreement, ";
    return found
        + (offset.nextAgreement > 0.0
                ? text::percent(offset.nextAgreement) + " with " + text::zone(offset.nextSeconds)
                : std::string("none with any other zone"));
}

} // namespace trainscope::analysis
