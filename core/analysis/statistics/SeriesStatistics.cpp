#include "core/analysis/statistics/SeriesStatistics.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <numeric>

namespace trainscope::analysis {

namespace {

Result<bool> hasSampleFrom(const store::Store& store, SeriesId series, TimeNs time) {
    bool found = false;
    RETURN_IF_ERROR(store.forEachSample(series, {time, kAllTime.end}, [&found](auto, auto) {
        found = true;
        return false;
    }));
    return found;
}

Result<std::optional<double>> lineAt(
    const store::Store& store, const Series& series, TimeNs moment, DurationNs gapLimit) {
    ASSIGN_OR_RETURN(
        const auto line, SampleWalk(store, series.id, moment, gapLimit).lineAt(moment));
    const bool isCounter = series.description.metric.kind == MetricKind::Counter;
    if (!line || (isCounter && line->to.value < line->from.value))
        return std::optional<double>();
    return std::optional(line->meanOver({moment, moment}));
}

bool isSubjectsPower(const SeriesDescription& description) {
    const std::string& name = description.metric.name;
    switch (description.subject.kind) {
    case SubjectKind::Gpu:
        return name == metric::kGpuPower;
    case SubjectKind::Node:
        return name == metric::kNodePower;
    case SubjectKind::Switch:
        return name == metric::kSwitchPower;
    case SubjectKind::Link:
    case SubjectKind::Run:
        break;
    }
    return false;
}

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

void take(const CounterTotal& counter, const Metric& /*metric*/, SeriesStatistics& result) {
    result.statistics.total = counter.total();
    result.statistics.samples = counter.samples();
    result.statistics.missing = counter.missing();
    result.statistics.wraps = counter.wraps();
    result.statistics.resets = counter.resets();
}

void take(TimeWeighted&& gauge, const Metric& metric, SeriesStatistics& result) {
    result.statistics.samples = gauge.samples();
    result.statistics.missing = gauge.missing();
    if (isShared(metric.kind)) {
        result.statistics.shares = sharesOf(metric, std::move(gauge).takeDistribution());
        return;
    }
    result.statistics.min = gauge.min();
    result.statistics.max = gauge.max();
    if (metric.kind == MetricKind::Progress) {
        result.statistics.first = gauge.first();
        result.statistics.last = gauge.last();
        return;
    }
    result.statistics.mean = gauge.mean();
    result.distribution = std::move(gauge).takeDistribution();
    const auto quantiles = result.distribution.quantiles(0.50, 0.99);
    result.statistics.p50 = quantiles.lower;
    result.statistics.p99 = quantiles.upper;
    keepInRange(result.statistics);
}

std::variant<TimeWeighted, CounterTotal> accumulatorOf(const SeriesDescription& description) {
    if (description.metric.kind == MetricKind::Counter)
        return CounterTotal(description);
    return TimeWeighted();
}

// Takes the samples of a series in time order, in blocks of any size.
class SeriesFigures {
public:
    // edges: of the window, whose ends count with what holds there.
    SeriesFigures(const SeriesDescription& description, const std::optional<WindowEdges>& edges)
        : m_metric(description.metric)
        , m_edges(edges)
        , m_values(accumulatorOf(description)) {
        if (isSubjectsPower(description))
            m_energy = edges ? EnergyIntegral(static_cast<double>(edges->gapLimit.ns))
                             : EnergyIntegral();
        if (!edges)
            return;
        if (auto* gauge = std::get_if<TimeWeighted>(&m_values); gauge && edges->heldAtBegin)
            gauge->enter(edges->window.begin, *edges->heldAtBegin);
        addPoint(edges->window.begin, edges->lineAtBegin);
    }

    void add(std::span<const TimeNs> times, std::span<const double> values) {
        std::visit([&](auto& accumulator) { accumulator.add(times, values); }, m_values);
        if (m_energy)
            m_energy->add(times, values);
    }

    [[nodiscard]] SeriesStatistics finished() && {
        if (m_edges) {
            auto* gauge = std::get_if<TimeWeighted>(&m_values);
            if (gauge != nullptr && m_edges->isHeldToEnd)
                gauge->leave(m_edges->window.end);
            addPoint(m_edges->window.end, m_edges->lineAtEnd);
        }
        SeriesStatistics result;
        std::visit([&](auto& values) { take(std::move(values), m_metric, result); }, m_values);
        result.statistics.samples -= m_points;
        if (m_energy && m_energy->present() > 0)
            result.energy = std::move(m_energy);
        return result;
    }

private:
    void addPoint(TimeNs time, const std::optional<double>& value) {
        if (!value)
            return;
        const std::span one(&time, 1);
        if (m_energy)
            m_energy->add(one, std::span(&*value, 1));
        if (auto* counter = std::get_if<CounterTotal>(&m_values)) {
            counter->add(one, std::span(&*value, 1));
            ++m_points;
        }
    }

    Metric m_metric;
    const std::optional<WindowEdges>& m_edges;
    std::variant<TimeWeighted, CounterTotal> m_values;
    std::optional<EnergyIntegral> m_energy;
    std::int64_t m_points = 0; // counter only: points that are no samples
};

using Field = std::optional<double> SubjectStatistics::*;

template <typename Combine>
void merge(SubjectStatistics& into, const SubjectStatistics& part, Field field, Combine combine) {
    if (!(part.*field))
        return;
    into.*field = into.*field ? combine(*(into.*field), *(part.*field)) : *(part.*field);
}

std::vector<double> fieldOf(const std::vector<SubjectStatistics>& parts, Field field) {
    std::vector<double> values;
    for (const auto& part : parts) {
        if (part.*field)
            values.push_back(*(part.*field));
    }
    return values;
}

// A subject without values has no part in it.
std::map<std::string, double> meanShares(const std::vector<SubjectStatistics>& parts) {
    std::map<std::string, double> shares;
    const auto known = std::count_if(
        parts.begin(), parts.end(), [](const auto& part) { return !part.shares.empty(); });
    for (const auto& part : parts) {
        for (const auto& [name, share] : part.shares)
            shares[name] += share / static_cast<double>(known);
    }
    return shares;
}

void addCounts(SubjectStatistics& into, const SubjectStatistics& part) {
    into.samples += part.samples;
    into.missing += part.missing;
    into.wraps += part.wraps;
    into.resets += part.resets;
}

} // namespace

Result<DurationNs> gapLimitOf(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing) {
    // Each missing sample lengthens one distance at most: while fewer than half of those between
    // values are lengthened, their median is that of all samples.
    const std::int64_t distances = series.count - series.missing - 1;
    double limit = EnergyIntegral::kGapPeriods * static_cast<double>(series.period.ns);
    if (series.period.ns <= 0 || 2 * series.missing >= distances) {
        EnergyIntegral whole;
        RETURN_IF_ERROR(feed(store, series.id, kAllTime, whole, keepGoing));
        limit = whole.gapLimit();
    }
    return DurationNs{nearestWhole<std::int64_t>(limit)};
}

Result<WindowEdges> windowEdges(
    const store::Store& store, const Series& series, TimeRange window, const KeepGoing& keepGoing) {
    WindowEdges edges;
    edges.window = window;
    ASSIGN_OR_RETURN(const auto before, store.lastBefore(series.id, window.begin));
    if (before)
        edges.heldAtBegin = before->value;
    ASSIGN_OR_RETURN(edges.isHeldToEnd, hasSampleFrom(store, series.id, window.end));
    if (series.description.metric.kind != MetricKind::Counter
        && !isSubjectsPower(series.description))
        return edges;
    ASSIGN_OR_RETURN(edges.gapLimit, gapLimitOf(store, series, keepGoing));
    ASSIGN_OR_RETURN(edges.lineAtBegin, lineAt(store, series, window.begin, edges.gapLimit));
    ASSIGN_OR_RETURN(edges.lineAtEnd, lineAt(store, series, window.end, edges.gapLimit));
    return edges;
}

Result<SeriesStatistics> seriesStatistics(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing, TimeRange window) {
    std::optional<WindowEdges> edges;
    if (window != kAllTime) {
        ASSIGN_OR_RETURN(edges, windowEdges(store, series, window, keepGoing));
    }
    SeriesFigures figures(series.description, edges);
    RETURN_IF_ERROR(feed(store, series.id, window, figures, keepGoing));
    SeriesStatistics result = std::move(figures).finished();
    const double limit = result.energy ? result.energy->gapLimit() : 0.0;
    if (!edges && result.energy && result.energy->longest() > limit) {
        result.energy.emplace(limit);
        RETURN_IF_ERROR(feed(store, series.id, kAllTime, *result.energy, keepGoing));
    }
    return result;
}

SubjectStatistics combined(const std::vector<SubjectStatistics>& parts) {
    if (parts.size() == 1)
        return parts.front();
    SubjectStatistics result;
    for (const auto& part : parts) {
        merge(result, part, &SubjectStatistics::min,
            [](double a, double b) { return std::min(a, b); });
        merge(result, part, &SubjectStatistics::max,
            [](double a, double b) { return std::max(a, b); });
        merge(result, part, &SubjectStatistics::total, std::plus<double>());
        addCounts(result, part);
    }
    result.mean = meanOf(meansOf(parts));
    result.first = meanOf(fieldOf(parts, &SubjectStatistics::first));
    result.last = meanOf(fieldOf(parts, &SubjectStatistics::last));
    result.shares = meanShares(parts);
    keepInRange(result);
    return result;
}

void keepInRange(SubjectStatistics& statistics) {
    if (!statistics.min || !statistics.max)
        return;
    for (auto* value : {&statistics.mean, &statistics.p50, &statistics.p99}) {
        if (*value)
            *value = std::clamp(**value, *statistics.min, *statistics.max);
    }
}

std::map<std::string, double> sharesOf(const Metric& metric, const Distribution& values) {
    std::map<std::string, double> shares;
    const auto total = static_cast<double>(values.totalWeight());
    for (const auto& [value, weight] : values.entries()) {
        for (const std::string& name : namesOfValue(metric, value))
            shares[name] += static_cast<double>(weight) / total;
    }
    return shares;
}

bool addsUp(const Metric& metric) {
    if (metric.kind == MetricKind::Counter || metric.kind == MetricKind::Rate)
        return true;
    return metric.kind == MetricKind::Gauge
        && (metric.unit == "W" || metric.unit == "J" || metric.unit == "B" || metric.unit == "B/s");
}

SubjectStatistics combinedLinks(const std::vector<SubjectStatistics>& links, const Metric& metric) {
    SubjectStatistics result = combined(links);
    if (links.size() < 2 || !addsUp(metric))
        return result;
    const std::vector<double> means = meansOf(links);
    if (!means.empty())
        result.mean = std::accumulate(means.begin(), means.end(), 0.0);
    result.min.reset();
    result.max.reset();
    return result;
}

std::vector<double> meansOf(const std::vector<SubjectStatistics>& parts) {
    return fieldOf(parts, &SubjectStatistics::mean);
}

} // namespace trainscope::analysis
