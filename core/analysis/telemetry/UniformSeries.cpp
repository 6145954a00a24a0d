#include "core/analysis/telemetry/UniformSeries.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Gather.h"

namespace trainscope::analysis {

namespace {

TimeRange spanOf(const UniformSeries& grid) {
    return {grid.begin, grid.timeOf(grid.values.size())};
}

constexpr double kLeastOfLongest = 0.8; // share of the longest record

bool isCounter(const Series& series) {
    return series.description.counterBits > 0;
}

// The means of its buckets; NaN in a gap.
Result<std::vector<double>> valuesOn(
    const UniformSeries& grid, const store::Store& store, const Series& series) {
    const auto columns = static_cast<int>(grid.values.size());
    ASSIGN_OR_RETURN(const auto buckets,
        isCounter(series) ? store.rateBuckets(series.id, spanOf(grid), columns)
                          : store.buckets(series.id, spanOf(grid), columns));
    return vectorOf(buckets, [](const Bucket& bucket) { return double{bucket.mean}; });
}

constexpr std::size_t kMostKeptSteps = std::size_t{1} << 19U;

// The last sum: iterations and bursts ask for the same.
struct LastSum {
    std::vector<SeriesId> series;
    UniformSeries sum;
};
Result<std::shared_ptr<LastSum>> noSum(const RunStudy& /*study*/) {
    return std::make_shared<LastSum>();
}

} // namespace

DurationNs samplingPeriod(const Series& series) {
    if (series.period.ns > 0)
        return series.period;
    const std::int64_t length = series.range.length().ns;
    if (series.count < 2 || length < 2) // the range of one moment is 1 ns long
        return {};
    return {std::max<std::int64_t>(length / (series.count - 1), 1)};
}

UniformSeries gridOf(std::span<const Series> series, std::size_t mostSteps, TimeRange window) {
    TimeRange common = window;
    std::int64_t period = 1;
    for (const Series& one : series) {
        common = shared(common, one.range);
        period = std::max(period, samplingPeriod(one).ns);
    }
    UniformSeries grid;
    if (series.empty() || common.isEmpty())
        return grid;
    // The last sample stands at the end of the range: one step more holds it.
    const std::int64_t steps = (common.length().ns - 1) / period + 1;
    const auto most = static_cast<std::int64_t>(std::max<std::size_t>(mostSteps, 1));
    const std::int64_t coarser = (steps + most - 1) / most;
    grid.begin = common.begin;
    grid.step = {period * coarser};
    grid.values.resize(static_cast<std::size_t>((steps + coarser - 1) / coarser));
    return grid;
}

Result<UniformSeries> resample(
    const store::Store& store, const Series& series, const UniformSeries& grid) {
    UniformSeries out{grid.begin, grid.step, {}};
    if (grid.values.empty())
        return out;
    ASSIGN_OR_RETURN(out.values, valuesOn(grid, store, series));
    if (!isCounter(series))
        out.age = {samplingPeriod(series).ns / 2};
    return out;
}

std::vector<Series> recordedThroughout(const std::vector<Series>& series) {
    std::int64_t longest = 0;
    for (const Series& one : series)
        longest = std::max(longest, one.range.length().ns);
    std::vector<Series> whole;
    std::copy_if(series.begin(), series.end(), std::back_inserter(whole), [&](const Series& one) {
        return static_cast<double>(one.range.length().ns)
            >= kLeastOfLongest * static_cast<double>(longest);
    });
    return whole;
}

bool haveMostInCommon(std::span<const Series> series, TimeRange window) {
    TimeRange common = window;
    DurationNs longest;
    for (const Series& one : series) {
        common = shared(common, one.range);
        longest = std::max(longest, shared(window, one.range).length());
    }
    return !common.isEmpty() && common.length().seconds() >= kLeastOfLongest * longest.seconds();
}

Result<UniformSeries> sumOf(const RunStudy& study, const std::vector<Series>& series,
    std::size_t mostSteps, TimeRange window) {
    UniformSeries sum = gridOf(series, mostSteps, window);
    if (sum.values.empty())
        return sum;
    std::vector<SeriesId> ids;
    std::ranges::transform(series, std::back_inserter(ids), &Series::id);
    ASSIGN_OR_RETURN(const auto last, study.once(noSum));
    const bool isKept = last->series == ids && last->sum.begin == sum.begin
        && last->sum.step == sum.step && last->sum.values.size() == sum.values.size();
    if (isKept)
        return std::move(last->sum); // nobody asks a third time
    const auto read = [&sum](const store::Store& store, const Series& one, const Progress&) {
        return valuesOn(sum, store, one);
    };
    const auto add = [&sum](const Series&, const std::vector<double>& values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            sum.values[i] += values[i];
        return Status();
    };
    RETURN_IF_ERROR(forEachPart(study, "Summing power", series, read, add));
    if (sum.values.size() <= kMostKeptSteps)
        *last = {std::move(ids), sum};
    return sum;
}

} // namespace trainscope::analysis
