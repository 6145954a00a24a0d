#include "app/viewmodels/inspector/CursorProbe.h"

#include "app/viewmodels/text/Texts.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/figures/timeline/DerivedLane.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TraceClock.h"

namespace trainscope::app {
namespace {

using store::Store;

constexpr double kNoData = std::numeric_limits<double>::quiet_NaN();

// Sources of values: the store, and the answers of an engine for linked runs.
struct ProbedValues {
    const Store& store;
    const ProbeRequest& request;
};

// Value in the column at that time; none where the engine has not answered yet.
Result<double> remoteValueOf(const ProbedValues& values, const Series& series, TimeNs time) {
    figures::RemoteQuestion question;
    question.run = series.run;
    question.metric = series.description.metric;
    question.series = {&series};
    question.window = {time, time + values.request.column};
    question.columns = 1;
    ASSIGN_OR_RETURN(const auto answer, values.request.remote->lane(question, {}));
    return answer.buckets.empty() || answer.buckets.front().empty()
        ? kNoData
        : static_cast<double>(answer.buckets.front().front().mean);
}

Result<double> valueOf(const ProbedValues& values, const Series& series, TimeNs time) {
    const Store& store = values.store;
    // The end of the run lies a nanosecond behind the sample that is seen there.
    if (time == series.range.end)
        time = time - DurationNs{1};
    if (!series.range.contains(time))
        return kNoData;
    if (values.request.remote && values.request.remote->has(series))
        return remoteValueOf(values, series, time);
    if (series.description.metric.kind != MetricKind::Counter) {
        ASSIGN_OR_RETURN(auto value, store.valueAt(series.id, time));
        return value.value_or(kNoData);
    }
    return figures::counterRateAt(store, series, time);
}

// -1 where the run has other GPUs; of a run without GPUs its first node is looked at.
int nodeOf(const RunFacts& facts, int rank) {
    const auto gpu = std::ranges::find(facts.gpus, rank, &Gpu::rank);
    if (gpu != facts.gpus.end())
        return gpu->node;
    return facts.gpus.empty() ? 0 : -1;
}

bool belongsTo(const Subject& subject, int rank, int node) {
    if (subject.kind == SubjectKind::Run || subject.kind == SubjectKind::Switch)
        return true;
    return subject.kind == SubjectKind::Gpu ? subject.rank == rank : subject.node == node;
}

struct MetricValue {
    double value = kNoData;
    std::size_t parts = 0; // links or switches behind the value
    bool isSum = false; // value is their sum; else their mean
};

// The series that speak for the metric there: those of the GPU, else of its node, else of the
// node's links, else of switches or the run; each subject once.
std::vector<Series> speakersOf(
    const RunFacts& facts, const std::string& metric, int rank, int node) {
    std::vector<Series> all;
    for (const auto& series : facts.series) {
        if (series.description.metric.name == metric
            && belongsTo(series.description.subject, rank, node))
            all.push_back(series);
    }
    if (all.empty())
        return all;
    all = analysis::seriesByMetric(all).begin()->second;
    const auto kindOf = [](const Series& series) { return series.description.subject.kind; };
    const auto first = std::ranges::min_element(
        all, [&kindOf](const Series& a, const Series& b) { return kindOf(a) < kindOf(b); });
    const SubjectKind kind = kindOf(*first);
    std::erase_if(all, [&](const Series& series) { return kindOf(series) != kind; });
    return all;
}

// Links count together, as in the statistics.
Result<MetricValue> metricAt(const ProbedValues& values, const RunFacts& facts,
    const std::string& metric, int rank, TimeNs time) {
    const int node = values.request.node >= 0 ? values.request.node : nodeOf(facts, rank);
    MetricValue result;
    double sum = 0.0;
    std::size_t known = 0;
    for (const auto& series : speakersOf(facts, metric, rank, node)) {
        ASSIGN_OR_RETURN(const auto value, valueOf(values, series, time));
        result.isSum = analysis::addsUp(series.description.metric);
        ++result.parts;
        if (std::isfinite(value)) {
            sum += value;
            ++known;
        }
    }
    if (known > 0)
        result.value = result.isSum ? sum : sum / static_cast<double>(known);
    return result;
}

std::string unitOf(const RunFacts& facts, const std::string& metric) {
    for (const auto& series : facts.series) {
        const Metric& found = series.description.metric;
        if (found.name == metric)
            return found.kind == MetricKind::Counter ? found.unit + "/s" : found.unit;
    }
    return "1";
}

// States by their names, the rest as numbers.
QString valueText(const RunFacts& facts, const std::string& metric, double value) {
    for (const auto& series : facts.series) {
        const Metric& found = series.description.metric;
        if (found.name != metric || !isShared(found.kind) || !std::isfinite(value))
            continue;
        return listOf(namesOfValue(found, value), labelOfName).join(QStringLiteral(", "));
    }
    return metricText(metric, value, unitOf(facts, metric));
}

// The innermost span under the cursor on a track.
Result<std::optional<Span>> spanOn(const Store& store, const Track& track, TimeNs time) {
    for (int depth = std::max(1, track.depth) - 1; depth >= 0; --depth) {
        auto span = store.spanAt(track.id, time, depth);
        if (!span.hasValue() || span.value())
            return span;
    }
    return std::optional<Span>{};
}

Result<QString> kernelAt(
    const Store& store, const RunFacts& facts, plot::LaneStyle style, int rank, TimeNs time) {
    const TrackKind kind = style == plot::LaneStyle::Thread ? TrackKind::Thread : TrackKind::Stream;
    if (facts.isBetweenCaptures(rank, time))
        return notTracedText();
    bool anyTrack = false;
    for (const auto& track : facts.tracks) {
        if (track.description.rank != rank || track.description.kind != kind)
            continue;
        anyTrack = anyTrack || track.range.contains(time);
        ASSIGN_OR_RETURN(auto span, spanOn(store, track, time));
        if (!span)
            continue;
        ASSIGN_OR_RETURN(auto name, store.name(span->name));
        return QStringLiteral("%1 %2").arg(
            QString::fromStdString(name).left(48), durationText(span->duration));
    }
    return anyTrack ? QStringLiteral("idle") : noDataText();
}

// `run`: index into the shown runs.
Result<QString> derivedLaneAt(const ProbedValues& values, const RunFacts& facts, std::size_t run,
    const plot::LaneSpec& lane, int rank, TimeNs time) {
    const auto resolved
        = figures::resolveDerived(lane, values.request.catalogue->tables, values.request.runs);
    if (!resolved.hasValue())
        return noDataText();
    const int node = values.request.node >= 0 ? values.request.node : nodeOf(facts, rank);
    ASSIGN_OR_RETURN(const auto value,
        figures::derivedAt(values.store, resolved.value(), run, rank, node, time));
    return metricText({}, value.value_or(kNoData), resolved.value().unit);
}

Result<QString> laneAt(const ProbedValues& values, const RunFacts& facts,
    const plot::ShownRun& shown, const plot::LaneSpec& lane, int focus, TimeNs time) {
    const int rank = lane.rank.value_or(focus);
    if (lane.metric.empty())
        return kernelAt(values.store, facts, lane.style, rank, plot::ownTime(shown, rank, time));
    const auto& runs = values.request.runs;
    if (figures::isDerivedIn(values.request.catalogue->tables, lane))
        return derivedLaneAt(
            values, facts, static_cast<std::size_t>(&shown - runs.data()), lane, rank, time);
    ASSIGN_OR_RETURN(auto value, metricAt(values, facts, lane.metric, rank, time));
    const QString text = valueText(facts, lane.metric, value.value);
    if (value.parts < 2 || !std::isfinite(value.value))
        return text;
    // The lane draws each by itself.
    return (value.isSum ? QStringLiteral("%1, %2 together") : QStringLiteral("%1, mean of %2"))
        .arg(text)
        .arg(value.parts);
}

Result<QString> pointedText(const ProbedValues& values, const RunFacts& facts, TimeNs time) {
    for (const auto& series : facts.series) {
        if (series.id != values.request.pointed)
            continue;
        ASSIGN_OR_RETURN(const auto value, valueOf(values, series, time));
        const Metric& metric = series.description.metric;
        return valueText(facts, metric.name, value);
    }
    return QString();
}

bool hasMetric(const RunFacts& facts, int rank, std::string_view metric) {
    return std::ranges::any_of(facts.series, [&](const Series& series) {
        return series.description.metric.name == metric
            && series.description.subject.kind == SubjectKind::Gpu
            && series.description.subject.rank == rank;
    });
}

Status addGpuFacts(const ProbedValues& values, const RunFacts& facts, const plot::ShownRun& shown,
    int rank, TimeNs time, std::vector<Fact>& into) {
    std::vector<std::string> seen;
    for (const auto& series : facts.series) {
        const Metric& metric = series.description.metric;
        const bool isGpu = series.description.subject.kind == SubjectKind::Gpu
            && series.description.subject.rank == rank;
        // The rate of an energy is the power, which stands there already.
        const bool isOtherEnergy = metric.unit == "J" && hasMetric(facts, rank, metric::kGpuPower);
        if (!isGpu || isOtherEnergy || std::ranges::find(seen, metric.name) != seen.end())
            continue;
        seen.push_back(metric.name);
        ASSIGN_OR_RETURN(auto value, metricAt(values, facts, metric.name, rank, time));
        const QString label
            = QString::fromStdString(metric.label.empty() ? metric.name : metric.label);
        into.push_back({label, valueText(facts, metric.name, value.value)});
    }
    const bool traced = std::ranges::any_of(facts.tracks, [rank](const Track& t) {
        return t.description.rank == rank && t.description.kind == TrackKind::Stream;
    });
    if (!traced)
        return {};
    ASSIGN_OR_RETURN(auto kernel,
        kernelAt(
            values.store, facts, plot::LaneStyle::Kernels, rank, plot::ownTime(shown, rank, time)));
    into.push_back({QStringLiteral("Kernel"), kernel});
    return {};
}

bool hasGpus(const RunFacts& facts) {
    return !facts.gpus.empty() || std::ranges::any_of(facts.series, [](const Series& series) {
        return series.description.subject.kind == SubjectKind::Gpu;
    });
}

// Adds facts of a run of which only logs or meters of nodes are known.
Status addOtherFacts(
    const ProbedValues& values, const RunFacts& facts, TimeNs time, std::vector<Fact>& into) {
    constexpr std::size_t kMostFacts = 48;
    for (const auto& series : facts.series) {
        const Subject& subject = series.description.subject;
        if (subject.kind == SubjectKind::Link || into.size() >= kMostFacts)
            continue;
        ASSIGN_OR_RETURN(const auto value, valueOf(values, series, time));
        const Metric& metric = series.description.metric;
        QString label = QString::fromStdString(metric.label.empty() ? metric.name : metric.label);
        if (subject.kind == SubjectKind::Node)
            label = QStringLiteral("%1, node %2").arg(label).arg(subject.node);
        else if (subject.kind == SubjectKind::Switch)
            label = QStringLiteral("%1, %2").arg(label, QString::fromStdString(subject.device));
        into.push_back({label, valueText(facts, metric.name, value)});
    }
    return {};
}

} // namespace

Result<ProbeResult> probe(
    const Store& store, const ProbeRequest& request, const std::function<bool()>& isCancelled) {
    ProbeResult result{
        request.time, request.rank, request.node, {}, {}, false, request.pointed, {}};
    const ProbedValues values{store, request};
    const std::size_t runs = std::min(request.runs.size(), request.catalogue->runs.size());
    for (const auto& lane : request.arrangement.lanes) {
        QStringList texts;
        for (std::size_t i = 0; i < runs; ++i) {
            if (isCancelled())
                return cancelled();
            ASSIGN_OR_RETURN(auto text,
                laneAt(values, request.catalogue->facts(i), request.runs[i], lane, request.rank,
                    request.runs[i].origin + request.time));
            texts.append(text);
        }
        result.lanes.push_back(std::move(texts));
    }
    for (std::size_t i = 0; i < runs; ++i) {
        const RunFacts facts = request.catalogue->facts(i);
        if (runs > 1)
            result.gpu.push_back({QString::fromStdString(facts.run.name), {}, true});
        const TimeNs time = request.runs[i].origin + request.time;
        if (request.pointed.isValid() && result.pointedText.isEmpty()) {
            ASSIGN_OR_RETURN(result.pointedText, pointedText(values, facts, time));
        }
        if (!hasGpus(facts)) {
            RETURN_IF_ERROR(addOtherFacts(values, facts, time, result.gpu));
            continue;
        }
        result.hasGpus = true;
        RETURN_IF_ERROR(
            addGpuFacts(values, facts, request.runs[i], request.rank, time, result.gpu));
    }
    return result;
}

} // namespace trainscope::app
