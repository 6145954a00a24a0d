#include "app/viewmodels/session/PowerCurve.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Metric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trainscope::app {

namespace {

// Half as many columns as samples, so that slow sensors leave no holes in the curve.
int curveColumns(const std::vector<Series>& powers, int most) {
    std::int64_t samples = 0;
    for (const auto& one : powers)
        samples = std::max(samples, one.count);
    return static_cast<int>(std::clamp<std::int64_t>(samples / 2, 2, most));
}

} // namespace

QList<double> powerCurve(const store::Store& store, const Run& run, int mostColumns,
    const std::function<bool()>& isCancelled) {
    const auto all = store.series(run.id);
    if (!all.hasValue() || run.range.isEmpty())
        return {};
    const auto powers
        = analysis::gpuSeriesOf(analysis::gpuSeriesByRank(all.value()), metric::kGpuPower);
    const int columns = curveColumns(powers, mostColumns);
    std::vector<double> sums(static_cast<std::size_t>(columns), 0.0);
    std::vector<int> counts(static_cast<std::size_t>(columns), 0);
    for (const auto& one : powers) {
        if (isCancelled())
            return {};
        const auto buckets = store.buckets(one.id, run.range, columns);
        if (!buckets.hasValue())
            return {};
        for (std::size_t i = 0; i < buckets.value().size() && i < sums.size(); ++i) {
            if (buckets.value()[i].count == 0)
                continue;
            sums[i] += static_cast<double>(buckets.value()[i].mean);
            ++counts[i];
        }
    }
    QList<double> curve;
    double highest = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double mean
            = counts[i] > 0 ? sums[i] / counts[i] : std::numeric_limits<double>::quiet_NaN();
        highest = std::max(highest, counts[i] > 0 ? mean : 0.0);
        curve.append(mean);
    }
    if (highest <= 0.0)
        return {};
    for (auto& value : curve)
        value /= highest;
    return curve;
}

} // namespace trainscope::app
