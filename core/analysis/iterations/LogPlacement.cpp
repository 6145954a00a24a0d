#include "core/analysis/iterations/LogPlacement.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr double kLeastContrast = 0.15; // least (high − low) / high power
constexpr double kSlow = 1.25; // iterations this much longer than usual idle in part
constexpr double kSlowWeight = 0.5; // the place of the idle part in it is not known

struct Levels {
    double low = 0.0;
    double high = 0.0;
};

// Two means of the values, found by turns.
std::optional<Levels> levelsOf(std::span<const double> watts) {
    std::vector<double> known;
    std::ranges::copy_if(
        watts, std::back_inserter(known), [](double value) { return !std::isnan(value); });
    if (known.size() < 2)
        return std::nullopt;
    const auto [least, most] = std::ranges::minmax_element(known);
    Levels levels{*least, *most};
    for (int turn = 0; turn < 20; ++turn) {
        const double middle = (levels.low + levels.high) / 2.0;
        double sums[2] = {0.0, 0.0};
        double counts[2] = {0.0, 0.0};
        for (const double value : known) {
            sums[value > middle ? 1 : 0] += value;
            counts[value > middle ? 1 : 0] += 1.0;
        }
        if (counts[0] == 0.0 || counts[1] == 0.0)
            return std::nullopt;
        levels = {sums[0] / counts[0], sums[1] / counts[1]};
    }
    return levels;
}

// By one kind of sensor; each GPU or node once, without those that were recorded for a part only.
std::vector<Series> powerOf(const std::vector<Series>& all) {
    const auto groups = seriesByMetric(all);
    for (const auto& [name, kind] : {std::pair{metric::kGpuPower, SubjectKind::Gpu},
             std::pair{metric::kGpuPowerAverage, SubjectKind::Gpu},
             std::pair{metric::kNodePower, SubjectKind::Node}}) {
        const auto group = groups.find(name);
        if (group == groups.end())
            continue;
        std::vector<Series> found;
        std::ranges::copy_if(
            group->second, std::back_inserter(found), [kind = kind](const Series& series) {
                return series.description.subject.kind == kind && series.count - series.missing > 1;
            });
        if (!found.empty())
            return recordedThroughout(found);
    }
    return {};
}

constexpr std::size_t kMostScores = std::size_t{1} << 23U; // moments × stretches of work
constexpr std::size_t kMostRuns = 512; // runs in a stretch, with one level each
constexpr double kLeastAgreement = 0.5;
// Cost of a second of pause, in seconds of work that fits: of equal fits the one with the shorter
// pauses wins.
constexpr double kPauseCost = 0.02;
constexpr double kNoiseWeight = 4.5; // half the square of three standard errors
constexpr double kRival = 0.02; // share of all work: another place that fits as well

// Work with one level: 1 busy, −1 idle.
struct LevelRun {
    double begin = 0.0; // s, from the stretch's begin
    double end = 0.0;
    double level = 0.0;
};

// Pieces between two pauses.
struct WorkStretch {
    std::vector<LevelRun> runs;
    double length = 0.0; // s
};

// Neighbours of one level become one; of too many the most alike ones do.
void thinOut(std::vector<LevelRun>& runs) {
    for (double alike = 0.05; runs.size() > 1; alike *= 2.0) {
        std::vector<LevelRun> joined{runs.front()};
        for (std::size_t i = 1; i < runs.size(); ++i) {
            LevelRun& last = joined.back();
            const LevelRun& next = runs[i];
            if (std::abs(last.level - next.level) > alike || next.begin > last.end + 1e-9) {
                joined.push_back(next);
                continue;
            }
            const double sum
                = last.level * (last.end - last.begin) + next.level * (next.end - next.begin);
            last.level = sum / std::max(next.end - last.begin, 1e-12);
            last.end = next.end;
        }
        runs = std::move(joined);
        if (runs.size() <= kMostRuns || alike > 2.0)
            return;
    }
}

std::vector<WorkStretch> stretchesOf(const LoggedWork& work) {
    const double usual = usualIteration(work);
    std::vector<WorkStretch> all;
    double begin = 0.0;
    for (const auto& piece : work.pieces) {
        if (all.empty() || piece.isAfterPause) {
            all.emplace_back();
            begin = piece.begin.seconds();
        }
        WorkStretch& stretch = all.back();
        const LevelRun run{
            piece.begin.seconds() - begin, piece.end.seconds() - begin, busyLevel(piece, usual)};
        if (run.end > run.begin)
            stretch.runs.push_back(run);
        stretch.length = std::max(stretch.length, run.end);
    }
    for (WorkStretch& stretch : all)
        thinOut(stretch.runs);
    return all;
}

// Scores of each stretch at each moment, with the best of all that follow it.
class Placer {
public:
    Placer(const LoggedWork& work, const WorkSignal& signal)
        : m_stretches(stretchesOf(work))
        , m_signal(signal)
        , m_integral(signal.values, signal.step.seconds()) {
        for (const WorkStretch& stretch : m_stretches) {
            for (const LevelRun& run : stretch.runs) {
                m_all += std::abs(run.level) * (run.end - run.begin);
                m_total += run.end - run.begin;
            }
        }
    }

    Result<LogPlacement> place() {
        if (m_stretches.empty() || m_all <= 0.0 || m_signal.values.empty())
            return Error{ErrorCode::NotFound, "The log does not say how long iterations took.", {}};
        chooseGrid();
        fillScores();
        const std::vector<double>& whole = m_best.front();
        const auto top = static_cast<std::size_t>(std::ranges::max_element(whole) - whole.begin());
        LogPlacement placement;
        placement.agreement = std::clamp(whole[top] / m_all, 0.0, 1.0);
        if (whole[top] < kLeastAgreement * m_all)
            return Error{ErrorCode::NotFound,
                "The power does not show the iterations of the log anywhere.", {}};
        walk(top, placement);
        measure(top, placement);
        return placement;
    }

private:
    // From before the record, as far as the first stretch may stand out, to its end.
    void chooseGrid() {
        const double length = m_signal.step.seconds() * static_cast<double>(m_signal.values.size());
        m_from = -m_stretches.front().length;
        const double span = length - m_from;
        const double cells = static_cast<double>(
            std::min(kMostSignalSteps, kMostScores / std::max<std::size_t>(m_stretches.size(), 1)));
        m_step = std::max(m_signal.step.seconds() / 2.0, span / std::max(cells, 16.0));
        m_count = static_cast<std::size_t>(span / m_step) + 1;
    }

    [[nodiscard]] double timeAt(std::size_t i) const {
        return m_from + m_step * static_cast<double>(i);
    }

    [[nodiscard]] double scoreAt(const WorkStretch& stretch, double begin) const {
        return summed<double>(stretch.runs, [&](const LevelRun& run) {
            return run.level * (m_integral.at(begin + run.end) - m_integral.at(begin + run.begin));
        });
    }

    [[nodiscard]] std::size_t stepsOf(const WorkStretch& stretch) const {
        return static_cast<std::size_t>(std::ceil(stretch.length / m_step));
    }

    // From the last stretch to the first: the best that follows is known when it is needed.
    void fillScores() {
        m_best.assign(m_stretches.size(), std::vector<double>(m_count, 0.0));
        m_next.assign(m_stretches.size(), std::vector<std::uint32_t>(m_count, 0));
        for (std::size_t k = m_stretches.size(); k-- > 0;) {
            for (std::size_t i = 0; i < m_count; ++i)
                m_best[k][i] = scoreAt(m_stretches[k], timeAt(i));
            if (k + 1 < m_stretches.size())
                addFollowing(k);
        }
    }

    void addFollowing(std::size_t k) {
        const std::size_t behind = stepsOf(m_stretches[k]);
        const std::vector<double>& following = m_best[k + 1];
        double best = -std::numeric_limits<double>::infinity();
        std::size_t at = m_count - 1;
        for (std::size_t i = m_count; i-- > 0;) {
            const std::size_t from = i + behind;
            if (from >= m_count) { // it would stand behind the record
                m_next[k][i] = static_cast<std::uint32_t>(m_count);
                continue;
            }
            best -= kPauseCost * m_step;
            if (following[from] > best) {
                best = following[from];
                at = from;
            }
            m_best[k][i] += std::max(best, 0.0);
            m_next[k][i] = static_cast<std::uint32_t>(best > 0.0 ? at : from);
        }
    }

    void walk(std::size_t top, LogPlacement& placement) const {
        const auto nanoseconds
            = [](double seconds) { return DurationNs{std::llround(seconds * 1e9)}; };
        placement.start = m_signal.begin + nanoseconds(timeAt(top));
        std::size_t at = top;
        for (std::size_t k = 0; k + 1 < m_stretches.size(); ++k) {
            const std::size_t next = m_next[k][at];
            const double pause
                = next >= m_count ? 0.0 : timeAt(next) - timeAt(at) - m_stretches[k].length;
            placement.pauses.push_back(nanoseconds(std::max(0.0, pause)));
            at = std::min(next, m_count - 1);
        }
    }

    // Measures the range in which the work may be shifted before it fits clearly worse.
    void measure(std::size_t top, LogPlacement& placement) const {
        const std::vector<double>& whole = m_best.front();
        const double resolution = m_signal.resolution.seconds();
        // Noise of work that fits otherwise: the mean square of what is missing to ±1.
        const double lost = 1.0 - placement.agreement;
        const double noise = kNoiseWeight * lost * lost;
        const double slack = 2.0 * resolution * std::max(0.5, noise) + m_step;
        std::size_t first = top;
        std::size_t last = top;
        while (first > 0 && whole[first - 1] >= whole[top] - slack)
            --first;
        while (last + 1 < m_count && whole[last + 1] >= whole[top] - slack)
            ++last;
        const double width = m_step * static_cast<double>(last - first);
        const double middle = (timeAt(first) + timeAt(last)) / 2.0;
        placement.start = m_signal.begin + DurationNs{std::llround(middle * 1e9)};
        placement.error = {std::llround((width / 2.0 + resolution / 2.0 + m_step) * 1e9)};
        const double rival = whole[top] - std::max(slack, kRival * m_total);
        for (std::size_t i = 0; i < m_count; ++i) {
            const bool isApart = i + stepsOf(m_stretches.front()) / 4 < first
                || i > last + stepsOf(m_stretches.front()) / 4;
            placement.isAmbiguous = placement.isAmbiguous || (isApart && whole[i] >= rival);
        }
    }

    std::vector<WorkStretch> m_stretches;
    const WorkSignal& m_signal;
    SignalIntegral m_integral;
    double m_all = 0.0; // score of a perfect fit
    double m_total = 0.0; // s
    double m_from = 0.0; // s, from the signal's begin
    double m_step = 0.0; // s
    std::size_t m_count = 0;
    std::vector<std::vector<double>> m_best; // by stretch and moment
    std::vector<std::vector<std::uint32_t>> m_next; // begin of the next stretch
};

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

double usualIteration(const LoggedWork& work) {
    std::vector<std::pair<double, double>> each; // seconds, iterations
    double all = 0.0;
    for (const auto& piece : work.pieces) {
        const auto count = static_cast<double>(std::max<std::int64_t>(piece.iterations, 1));
        each.emplace_back((piece.end - piece.begin).seconds() / count, count);
        all += count;
    }
    std::ranges::sort(each);
    double before = 0.0;
    for (const auto& [seconds, count] : each) {
        before += count;
        if (before >= all / 2.0)
            return seconds;
    }
    return 0.0;
}

double busyLevel(const LoggedWork::Piece& piece, double usual) {
    const auto count = static_cast<double>(std::max<std::int64_t>(piece.iterations, 1));
    const double each = (piece.end - piece.begin).seconds() / count;
    return each <= kSlow * usual ? 1.0 : kSlowWeight * (2.0 * usual / each - 1.0);
}

WorkSignal workSignal(TimeNs begin, DurationNs step, std::span<const double> watts) {
    WorkSignal signal{begin, step, {}, step};
    const auto levels = levelsOf(watts);
    if (!levels || levels->high - levels->low < kLeastContrast * std::abs(levels->high))
        return signal;
    const double middle = (levels->low + levels->high) / 2.0;
    const double half = (levels->high - levels->low) / 2.0;
    for (const double value : watts)
        signal.values.push_back(
            std::isnan(value) ? 0.0 : std::clamp((value - middle) / half, -1.0, 1.0));
    return signal;
}

Result<PowerSignal> powerSignal(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto all, study.store.series(study.run.id));
    const std::vector<Series> power = powerOf(all);
    if (power.empty())
        return Error{
            ErrorCode::NotFound, "The run has no power by which the log could be placed.", {}};
    ASSIGN_OR_RETURN(const auto sum, sumOf(study, power, kMostSignalSteps));
    DurationNs period{};
    PowerSignal result;
    for (const Series& series : power) {
        period = std::max(period, samplingPeriod(series));
        result.isAveraged = result.isAveraged || series.description.sensor == SensorKind::Averaged;
    }
    result.signal = workSignal(sum.begin, sum.step, sum.values);
    result.signal.resolution = std::max(sum.step, period);
    return result;
}

Result<LogPlacement> fitWork(const LoggedWork& work, const WorkSignal& signal) {
    if (signal.values.empty())
        return Error{ErrorCode::NotFound,
            "The power hardly changes while it was recorded: it does not show where iterations "
            "begin.",
            {}};
    auto placement = Placer(work, signal).place();
    if (placement.hasValue())
        placement.value().iterationS = usualIteration(work);
    return placement;
}

Result<LogPlacement> placeLog(const RunStudy& study, const LoggedWork& work) {
    ASSIGN_OR_RETURN(const auto power, powerSignal(study));
    auto placement = fitWork(work, power.signal);
    // An averaging sensor reports up to a second late.
    if (placement.hasValue() && power.isAveraged)
        placement.value().error = placement.value().error + DurationNs{text::kSecond / 2};
    return placement;
}

std::string placementText(const LogPlacement& placement) {
    std::string text = text::moment(placement.start);
    if (placement.isSaid)
        return text + ", as the user says";
    const double error = placement.error.seconds();
    text += " ± " + text::seconds(error) + ", from the edges of the power";
    if (placement.iterationS > 0.0 && error >= placement.iterationS)
        text += fmt::format(
            " (by up to {:.0f} iterations)", std::floor(error / placement.iterationS));
    if (placement.isAmbiguous)
        text += "; other places fit as well";
    return text;
}

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
