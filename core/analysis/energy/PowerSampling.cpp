#include "core/analysis/energy/PowerIntegral.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostSamplesProbed = 20'000; // samples: enough to tell the period

// Samples from before the window are needed to draw the line into it.
TimeRange widened(TimeRange window, double gapLimitNs, DurationNs lag) {
    const auto margin = static_cast<std::int64_t>(std::min(gapLimitNs, 3.6e12)) + 1;
    return {window.begin + lag - DurationNs{margin}, window.end + lag + DurationNs{margin}};
}

} // namespace

PowerIntegral::PowerIntegral(const store::Store& store, const Series& series, double gapLimitNs,
    TimeRange window, DurationNs lag)
    : m_cursor(store, series.id, widened(window, gapLimitNs, lag))
    , m_gapLimitNs(gapLimitNs)
    , m_lag(lag)
    , m_now(window.begin) { }

Status PowerIntegral::start() {
    m_hasStarted = true;
    RETURN_IF_ERROR(m_cursor.start());
    RETURN_IF_ERROR(nextPoint());
    return nextPoint();
}

Status PowerIntegral::nextPoint() {
    m_left = m_right;
    m_right.reset();
    while (!m_cursor.atEnd() && !m_right) {
        if (!std::isnan(m_cursor.value()))
            m_right = Point{m_cursor.time() - m_lag, m_cursor.value()};
        RETURN_IF_ERROR(m_cursor.next());
    }
    return {};
}

EnergyPiece PowerIntegral::between(TimeNs begin, TimeNs end) const {
    const TimeNs from = std::max(begin, m_left->time);
    const TimeNs to = std::min(end, m_right->time);
    const auto length = static_cast<double>((m_right->time - m_left->time).ns);
    if (to <= from || length > m_gapLimitNs)
        return {};
    const double slope = (m_right->watts - m_left->watts) / length;
    const double middle
        = static_cast<double>((from - m_left->time).ns) + 0.5 * static_cast<double>((to - from).ns);
    return {(m_left->watts + slope * middle) * (to - from).seconds(), to - from};
}

Result<EnergyPiece> PowerIntegral::to(TimeNs until) {
    if (!m_hasStarted)
        RETURN_IF_ERROR(start());
    EnergyPiece sum;
    while (m_now < until) {
        while (m_right && (!m_left || m_right->time <= m_now))
            RETURN_IF_ERROR(nextPoint());
        if (!m_left || !m_right) {
            m_now = until;
            break;
        }
        const TimeNs end = std::min(until, m_right->time);
        const EnergyPiece piece = between(m_now, end);
        sum.joules += piece.joules;
        sum.covered = sum.covered + piece.covered;
        m_now = end;
    }
    return sum;
}

Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series) {
    EnergyIntegral integral;
    Distribution updates;
    UpdateProbe probe;
    std::optional<std::pair<TimeNs, double>> last; // change
    RETURN_IF_ERROR(store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
        integral.add(times, values);
        if (probe.samples() < kMostSamplesProbed)
            probe.add(times, values);
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (std::isnan(values[i]) || (last && values[i] == last->second))
                continue;
            if (last)
                updates.add(static_cast<double>(elapsedNs(last->first, times[i])), 1);
            last = {times[i], values[i]};
        }
        return true;
    }));
    const double limit = integral.gapLimit();
    if (!std::isfinite(limit))
        return std::optional<PowerSampling>();
    double update = updates.median().value_or(0.0);
    if (update > PowerSampling::kRarestUpdateNs)
        update = 0.0;
    const UpdatePeriod measured = probe.result(samplingPeriod(series));
    const bool isCertain = measured.seconds && measured.isCertain;
    if (isCertain)
        update = *measured.seconds * 1e9;
    return std::optional(
        PowerSampling{limit / EnergyIntegral::kGapPeriods, limit, update, series.max, isCertain});
}

} // namespace trainscope::analysis
