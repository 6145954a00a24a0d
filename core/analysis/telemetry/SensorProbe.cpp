#include "core/analysis/telemetry/SensorProbe.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostProbed = 8;
constexpr std::size_t kMostSamples = 20'000;
constexpr std::size_t kLeastStretches = 20;
constexpr double kAlwaysNew = 0.1; // share of the samples that may repeat the last by chance
constexpr double kAgreeing = 0.7; // share of the stretches that must be one period or a few
constexpr double kSingle = 0.4; // share of the stretches that must be one
constexpr double kMostMultiples = 3.0;
constexpr double kMostlyNew = 0.5; // share of the changes
constexpr double kSlack = 1.6; // sampling periods

// The length that most stretches have, and its neighbours, as a mean; 0 where single samples are
// the most common, as they are where values repeat by chance.
double commonLength(const std::vector<std::int64_t>& stretches, double periodNs) {
    std::map<std::int64_t, double> counts;
    for (const std::int64_t stretch : stretches)
        counts[std::llround(static_cast<double>(stretch) / periodNs)] += 1.0;
    const auto most = std::max_element(counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->first <= 1)
        return 0.0;
    double sum = 0.0;
    double weighted = 0.0;
    for (std::int64_t length = most->first - 1; length <= most->first + 1; ++length) {
        const auto found = counts.find(length);
        const double count = found == counts.end() ? 0.0 : found->second;
        sum += count;
        weighted += count * static_cast<double>(length);
    }
    return weighted / sum * periodNs;
}

std::string wordingOf(const Sensor& sensor) {
    std::string text = "kind not known";
    if (sensor.kind == SensorKind::Instant)
        text = "instant";
    if (sensor.kind == SensorKind::Averaged)
        text = sensor.averagingS ? "average over " + text::seconds(*sensor.averagingS)
                                 : "average over a time that is not known";
    text += sensor.samplingPeriodS ? ", read every " + text::seconds(*sensor.samplingPeriodS)
                                   : ", sampling period not known";
    if (!sensor.update.seconds)
        return text + ", update period not known";
    if (sensor.update.isAtMost)
        return text + ", new at every reading";
    return text
        + fmt::format(", new every {} ± {}", text::seconds(*sensor.update.seconds),
            text::seconds(sensor.update.errorS));
}

// The median of what the series say, where most of them say it.
UpdatePeriod together(const std::vector<UpdatePeriod>& all) {
    std::vector<double> seconds;
    UpdatePeriod out;
    for (const UpdatePeriod& one : all) {
        if (!one.seconds)
            continue;
        seconds.push_back(*one.seconds);
        out.errorS = std::max(out.errorS, one.errorS);
        out.isAtMost = out.isAtMost || one.isAtMost;
        out.isCertain = one.isCertain && (seconds.size() == 1 || out.isCertain);
    }
    if (2 * seconds.size() <= all.size())
        return {};
    out.seconds = upperMedian(seconds);
    return out;
}

Result<Sensor> probe(const store::Store& store, const std::vector<Series>& group) {
    Sensor out;
    out.metric = group.front().description.metric;
    out.kind = group.front().description.sensor;
    if (out.kind == SensorKind::Averaged && out.metric.unit == "W")
        out.averagingS = kNvmlAveragingS;
    std::vector<double> periods;
    std::vector<UpdatePeriod> updates;
    const std::size_t each = (group.size() + kMostProbed - 1) / kMostProbed;
    for (std::size_t i = 0; i < group.size(); i += each) {
        UpdateProbe probe;
        RETURN_IF_ERROR(
            store.forEachSample(group[i].id, kAllTime, [&probe](auto times, auto values) {
                probe.add(times, values);
                return probe.samples() < kMostSamples;
            }));
        const DurationNs period = samplingPeriod(group[i]);
        if (period.ns > 0)
            periods.push_back(period.seconds());
        updates.push_back(probe.result(period));
    }
    out.probed = static_cast<int>(updates.size());
    if (!periods.empty())
        out.samplingPeriodS = upperMedian(periods);
    out.update = together(updates);
    out.wording = wordingOf(out);
    return out;
}

constexpr std::size_t kMostSamplesProbed = 20'000; // samples: enough to tell the period

} // namespace

void UpdateProbe::add(std::span<const TimeNs> times, std::span<const double> values) {
    for (std::size_t i = 0; i < std::min(times.size(), values.size()); ++i) {
        ++m_samples;
        if (std::isnan(values[i])) {
            m_value.reset();
            m_isWhole = false;
            continue;
        }
        if (m_value == values[i]) {
            ++m_repeated;
            continue;
        }
        if (m_value && m_isWhole && m_changed)
            m_stretches.push_back((times[i] - *m_changed).ns);
        // The first value was there before it was read: its stretch is not whole.
        m_isWhole = m_value.has_value();
        m_value = values[i];
        m_seen.insert(values[i]);
        m_changed = times[i];
    }
}

UpdatePeriod UpdateProbe::result(DurationNs samplingPeriod) const {
    UpdatePeriod out;
    const auto period = static_cast<double>(samplingPeriod.ns);
    if (m_stretches.size() < kLeastStretches || period <= 0.0)
        return out;
    const bool isNew
        = static_cast<double>(m_repeated) <= kAlwaysNew * static_cast<double>(m_samples);
    const double common = commonLength(m_stretches, period);
    if (isNew || common <= 0.0) {
        // Rounding repeats a value now and then; that says nothing of the sensor.
        if (isNew)
            out = {period * 1e-9, 0.0, true};
        return out;
    }
    double sum = 0.0;
    double squares = 0.0;
    double single = 0.0;
    double agreeing = 0.0;
    for (const std::int64_t stretch : m_stretches) {
        const auto length = static_cast<double>(stretch);
        const double times = std::clamp(std::round(length / common), 1.0, kMostMultiples);
        const bool isOne = std::abs(length - common) <= kSlack * period;
        const bool agrees = isOne || std::abs(length - times * common) <= kSlack * period;
        agreeing += agrees ? 1.0 : 0.0;
        if (!isOne)
            continue;
        single += 1.0;
        sum += length;
        squares += length * length;
    }
    const auto all = static_cast<double>(m_stretches.size());
    if (agreeing < kAgreeing * all || single < kSingle * all)
        return out;
    const double mean = sum / single;
    out.isCertain = static_cast<double>(m_seen.size()) >= kMostlyNew * all;
    out.seconds = mean * 1e-9;
    out.errorS
        = std::max(std::sqrt(std::max(squares / single - mean * mean, 0.0) / single), 0.01 * period)
        * 1e-9;
    return out;
}

Result<std::vector<Sensor>> probeSensors(
    const store::Store& store, const std::vector<Series>& series, const Progress& progress) {
    std::vector<Sensor> out;
    for (const auto& [metric, group] : seriesByMetric(series)) {
        const SeriesDescription& first = group.front().description;
        // Values that a program reports of the run were not read from a sensor.
        if (first.metric.kind != MetricKind::Gauge || first.subject.kind == SubjectKind::Run)
            continue;
        if (progress && !progress({"Looking at sensors", 0, 0}))
            return cancelled();
        ASSIGN_OR_RETURN(auto sensor, probe(store, group));
        out.push_back(std::move(sensor));
    }
    return out;
}

Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series) {
    constexpr double kLeastRepeated = 1.5; // update periods per sampling period
    EnergyIntegral integral;
    UpdateProbe probe;
    RETURN_IF_ERROR(store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
        integral.add(times, values);
        if (probe.samples() < kMostSamplesProbed)
            probe.add(times, values);
        return true;
    }));
    const double limit = integral.gapLimit();
    if (!std::isfinite(limit))
        return std::optional<PowerSampling>();
    const UpdatePeriod update = probe.result(samplingPeriod(series));
    const bool isRepeating = update.seconds && update.isCertain
        && *update.seconds * 1e9 * EnergyIntegral::kGapPeriods > kLeastRepeated * limit;
    return std::optional(
        PowerSampling{{nearestWhole<std::int64_t>(limit)}, series.max, isRepeating});
}

} // namespace trainscope::analysis
