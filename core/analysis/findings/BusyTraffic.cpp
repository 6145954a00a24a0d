#include "core/analysis/findings/BusyTraffic.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <cmath>
#include <optional>
#include <span>

namespace trainscope::analysis {

namespace {

class LinkMeter {
public:
    LinkMeter(const store::Store& store, const Series& link, SeriesId utilization)
        : m_store(store)
        , m_link(link)
        , m_utilization(store, utilization, kAllTime.begin)
        , m_total(link.description) { }

    Status measure(TimeRange window) {
        SampleCursor cursor(m_store, m_link.id, window);
        RETURN_IF_ERROR(cursor.start());
        while (!cursor.atEnd()) {
            RETURN_IF_ERROR(take(cursor.time(), cursor.value()));
            RETURN_IF_ERROR(cursor.next());
        }
        return {};
    }
    [[nodiscard]] double bytes() const { return m_bytes; }
    [[nodiscard]] double busyS() const { return m_busyS; }

private:
    Status take(TimeNs time, double value) {
        const bool isCounter = m_link.description.metric.kind == MetricKind::Counter;
        if (isCounter && std::isnan(value))
            return {};
        const double before = m_total.total().value_or(0.0);
        if (isCounter)
            m_total.add(std::span(&time, 1), std::span(&value, 1));
        if (m_last && time > *m_last && !std::isnan(m_value)) {
            RETURN_IF_ERROR(m_utilization.to(*m_last));
            ASSIGN_OR_RETURN(const auto utilization, m_utilization.to(time));
            if (utilization.held.mean().value_or(0.0) >= kBusyUtilization) {
                const double seconds = (time - *m_last).seconds();
                m_busyS += seconds;
                m_bytes += isCounter ? m_total.total().value_or(0.0) - before : m_value * seconds;
            }
        }
        m_last = time;
        m_value = value;
        return {};
    }

    const store::Store& m_store;
    const Series& m_link;
    SampleWalk m_utilization;
    CounterTotal m_total;
    std::optional<TimeNs> m_last;
    double m_value = 0.0;
    double m_bytes = 0.0;
    double m_busyS = 0.0;
};

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
            LinkMeter meter(store, link->second, utilization->second.id);
            RETURN_IF_ERROR(meter.measure(window));
            if (meter.busyS() > 0.0)
                result.push_back({rank, metric, meter.bytes(), meter.busyS()});
        }
    }
    return result;
}

} // namespace trainscope::analysis
