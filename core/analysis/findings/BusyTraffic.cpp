#include "core/analysis/findings/BusyTraffic.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace trainscope::analysis {

namespace {

// Adds the bytes and the seconds of the window in which the GPU was busy.
Status measure(const store::Store& store, const Series& link, SeriesId utilization,
    TimeRange window, BusyTraffic& sums) {
    SampleWalk busy(store, utilization, kAllTime.begin);
    CounterTotal total(link.description);
    const bool isCounter = link.description.metric.kind == MetricKind::Counter;
    std::optional<TimeNs> last;
    double lastValue = 0.0;
    SampleCursor cursor(store, link.id, window);
    RETURN_IF_ERROR(cursor.start());
    while (!cursor.atEnd()) {
        const TimeNs time = cursor.time();
        const double value = cursor.value();
        RETURN_IF_ERROR(cursor.next());
        if (isCounter && std::isnan(value))
            continue;
        const double before = total.total().value_or(0.0);
        if (isCounter)
            total.add(std::span(&time, 1), std::span(&value, 1));
        if (last && time > *last && !std::isnan(lastValue)) {
            RETURN_IF_ERROR(busy.to(*last));
            ASSIGN_OR_RETURN(const auto work, busy.to(time));
            if (work.held.mean().value_or(0.0) >= kBusyUtilization) {
                const double seconds = (time - *last).seconds();
                sums.busyS += seconds;
                sums.bytes
                    += isCounter ? total.total().value_or(0.0) - before : lastValue * seconds;
            }
        }
        last = time;
        lastValue = value;
    }
    return {};
}

} // namespace

Result<std::vector<BusyTraffic>> busyTraffic(const store::Store& store,
    const std::map<int, GpuSeries>& gpus, TimeRange window, const Progress& progress) {
    std::vector<BusyTraffic> result;
    for (const char* metric :
        {metric::kNvlinkRx, metric::kNvlinkTx, metric::kPcieRx, metric::kPcieTx}) {
        for (const auto& [rank, gpu] : gpus) {
            if (progress && !progress({"Looking at links", 0, 0}))
                return cancelled();
            const auto utilization = gpu.find(metric::kGpuUtilization);
            auto link = gpu.find(metric);
            if (link == gpu.end())
                link = gpu.find(std::string(metric) + "_rate");
            if (utilization == gpu.end() || link == gpu.end())
                continue;
            BusyTraffic sums{rank, metric, 0.0, 0.0};
            RETURN_IF_ERROR(measure(store, link->second, utilization->second.id, window, sums));
            if (sums.busyS > 0.0)
                result.push_back(std::move(sums));
        }
    }
    return result;
}

} // namespace trainscope::analysis
