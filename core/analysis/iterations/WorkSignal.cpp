#include "core/analysis/iterations/WorkSignal.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

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

} // namespace trainscope::analysis
