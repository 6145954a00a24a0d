#include "core/analysis/statistics/SeriesStatistics.h"

#include "core/model/Try.h"

#include <type_traits>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::string_view kPower = "gpu_power";

template <typename Accumulator>
Status feed(const store::Store& store, SeriesId series, TimeRange window, Accumulator& accumulator,
    const KeepGoing& keepGoing) {
    bool stopped = false;
    const auto status = store.forEachSample(series, window, [&](auto times, auto values) {
        accumulator.add(times, values);
        stopped = keepGoing && !keepGoing();
        return !stopped;
    });
    return stopped ? Status(cancelled()) : status;
}

void take(const CounterTotal& counter, SeriesStatistics& result) {
    result.statistics.total = counter.total();
    result.statistics.samples = counter.samples();
    result.statistics.missing = counter.missing();
    result.statistics.wraps = counter.wraps();
    result.statistics.resets = counter.resets();
}

void take(TimeWeighted&& gauge, SeriesStatistics& result) {
    result.statistics.mean = gauge.mean();
    result.statistics.min = gauge.min();
    result.statistics.max = gauge.max();
    result.statistics.samples = gauge.samples();
    result.statistics.missing = gauge.missing();
    result.distribution = std::move(gauge).takeDistribution();
    const auto quantiles = result.distribution.quantiles(0.50, 0.99);
    result.statistics.p50 = quantiles.lower;
    result.statistics.p99 = quantiles.upper;
}

template <typename Accumulator>
void addPoint(Accumulator& accumulator, TimeNs time, const std::optional<double>& value) {
    if (value)
        accumulator.add(std::span(&time, 1), std::span(&*value, 1));
}

std::variant<TimeWeighted, CounterTotal> accumulatorOf(const SeriesDescription& description) {
    if (description.metric.kind == MetricKind::Counter)
        return CounterTotal(description);
    return TimeWeighted();
}

} // namespace

SeriesFigures::SeriesFigures(const SeriesDescription& description)
    : m_values(accumulatorOf(description)) {
    if (description.metric.name == kPower && description.subject.kind == SubjectKind::Gpu)
        m_energy.emplace();
}

void SeriesFigures::addPoint(TimeNs time, const std::optional<double>& value) {
    if (m_energy)
        analysis::addPoint(*m_energy, time, value);
    if (auto* counter = std::get_if<CounterTotal>(&m_values)) {
        analysis::addPoint(*counter, time, value);
        m_points += value ? 1 : 0;
    }
}

void SeriesFigures::enter(const WindowEdges& edges) {
    if (auto* gauge = std::get_if<TimeWeighted>(&m_values); gauge != nullptr && edges.heldAtBegin)
        gauge->enter(edges.window.begin, *edges.heldAtBegin);
    addPoint(edges.window.begin, edges.lineAtBegin);
}

void SeriesFigures::leave(const WindowEdges& edges) {
    if (auto* gauge = std::get_if<TimeWeighted>(&m_values); gauge != nullptr && edges.isHeldToEnd)
        gauge->leave(edges.window.end);
    addPoint(edges.window.end, edges.lineAtEnd);
}

void SeriesFigures::add(std::span<const TimeNs> times, std::span<const double> values) {
    std::visit([&](auto& accumulator) { accumulator.add(times, values); }, m_values);
    if (m_energy)
        m_energy->add(times, values);
}

void SeriesFigures::add(SeriesFigures&& next) {
    std::visit(
        [&next](auto& accumulator) {
            using Accumulator = std::remove_reference_t<decltype(accumulator)>;
            if (auto* same = std::get_if<Accumulator>(&next.m_values))
                accumulator.add(std::move(*same));
        },
        m_values);
    m_points += next.m_points;
    if (m_energy && next.m_energy)
        m_energy->add(std::move(*next.m_energy));
}

SeriesStatistics SeriesFigures::finished() && {
    SeriesStatistics result;
    std::visit([&result](auto& values) { take(std::move(values), result); }, m_values);
    result.statistics.samples -= m_points;
    if (!m_energy || m_energy->present() == 0)
        return result;
    if (const double limit = m_energy->gapLimit(); m_energy->longest() > limit)
        result.gapLimit = limit;
    result.energy = std::move(m_energy);
    return result;
}

Result<SeriesStatistics> seriesStatistics(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing) {
    SeriesFigures figures(series.description);
    RETURN_IF_ERROR(feed(store, series.id, kAllTime, figures, keepGoing));
    return std::move(figures).finished();
}

Result<EnergyIntegral> seriesEnergy(const store::Store& store, const Series& power,
    TimeRange window, double gapLimitNs, const KeepGoing& keepGoing) {
    EnergyIntegral integral(gapLimitNs);
    WindowEdges edges;
    if (window != kAllTime) {
        ASSIGN_OR_RETURN(const auto found, windowEdges(store, power, window));
        edges = found;
    }
    addPoint(integral, window.begin, edges.lineAtBegin);
    RETURN_IF_ERROR(feed(store, power.id, window, integral, keepGoing));
    addPoint(integral, window.end, edges.lineAtEnd);
    return integral;
}

} // namespace trainscope::analysis
