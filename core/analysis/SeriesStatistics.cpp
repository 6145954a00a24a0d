#include "core/analysis/SeriesStatistics.h"

#include "core/analysis/CounterTotal.h"
#include "core/analysis/EnergyIntegral.h"
#include "core/analysis/TimeWeighted.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

template <typename Accumulator>
Status feed(const store::Store& store, SeriesId series, Accumulator& accumulator,
    const KeepGoing& keepGoing) {
    bool stopped = false;
    const auto status = store.forEachSample(series, kAllTime, [&](auto times, auto values) {
        accumulator.add(times, values);
        stopped = keepGoing && !keepGoing();
        return !stopped;
    });
    return stopped ? Status(cancelled()) : status;
}

Result<SeriesStatistics> counterStatistics(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing) {
    CounterTotal counter(series.description);
    if (auto status = feed(store, series.id, counter, keepGoing); !status.hasValue())
        return status.error();
    SeriesStatistics result;
    result.statistics.total = counter.total();
    result.statistics.samples = counter.samples();
    result.statistics.missing = counter.missing();
    result.statistics.wraps = counter.wraps();
    result.statistics.resets = counter.resets();
    return result;
}

Result<SeriesStatistics> gaugeStatistics(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing) {
    TimeWeighted gauge;
    if (auto status = feed(store, series.id, gauge, keepGoing); !status.hasValue())
        return status.error();
    SeriesStatistics result;
    result.statistics.mean = gauge.mean();
    result.statistics.min = gauge.min();
    result.statistics.max = gauge.max();
    result.statistics.samples = gauge.samples();
    result.statistics.missing = gauge.missing();
    result.distribution = std::move(gauge.distribution());
    result.statistics.p50 = result.distribution.quantile(0.50);
    result.statistics.p99 = result.distribution.quantile(0.99);
    return result;
}

} // namespace

Result<SeriesStatistics> seriesStatistics(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing) {
    return series.description.metric.kind == MetricKind::Counter
        ? counterStatistics(store, series, keepGoing)
        : gaugeStatistics(store, series, keepGoing);
}

Result<std::optional<Energy>> seriesEnergy(const store::Store& store, const Series& power,
    DurationNs runDuration, const KeepGoing& keepGoing) {
    EnergyIntegral integral;
    if (auto status = feed(store, power.id, integral, keepGoing); !status.hasValue())
        return status.error();
    if (integral.present() == 0)
        return std::optional<Energy>();
    if (const double limit = integral.gapLimit(); integral.longest() > limit) {
        integral = EnergyIntegral(limit);
        if (auto status = feed(store, power.id, integral, keepGoing); !status.hasValue())
            return status.error();
    }
    Energy energy{integral.energy().value, 0.0};
    if (runDuration.ns > 0) {
        energy.coverage = std::min(
            1.0, static_cast<double>(integral.covered().ns) / static_cast<double>(runDuration.ns));
    }
    return std::optional(energy);
}

} // namespace trainscope::analysis
