#include "core/analysis/StudyPass.h"
#include "core/figures/timeline/LaneLoad.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/plot/Ticks.h"
#include "core/plot/timeline/LanePrepare.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

Result<std::vector<Bucket>> readBuckets(
    const store::Store& store, const LaneRequest& request, const SelectedSeries& selected) {
    const Series& series = *selected.series;
    const TimeNs origin = request.runs[selected.run].origin;
    const TimeRange window{origin + request.window.begin, origin + request.window.end};
    const bool counter = series.description.metric.kind == MetricKind::Counter;
    ASSIGN_OR_RETURN(auto read,
        counter ? store.rateBuckets(series.id, window, request.columns)
                : store.buckets(series.id, window, request.columns));
    std::vector<Bucket> buckets = std::move(read);
    double held = kNothing;
    const bool startsInside = series.range.contains(window.begin) && !buckets.empty()
        && buckets.front().count == 0 && !buckets.front().gap;
    if (startsInside && counter) {
        ASSIGN_OR_RETURN(held, counterRateAt(store, series, window.begin));
    } else if (startsInside) {
        ASSIGN_OR_RETURN(const auto value, store.valueAt(series.id, window.begin));
        held = value.value_or(kNothing);
    }
    holdBetweenSamples(buckets, series, window, held);
    return buckets;
}

// From that many on threads that read their share save more than their connections cost.
constexpr std::size_t kManySeries = 64;

// Hands what read(store, series) answers of each series, a Result, to take(series, read), in
// their order, until one of them is an error.
template <typename Read, typename Take>
Status readEach(const LaneRequest& request, const std::vector<SelectedSeries>& selected,
    const Read& read, const Take& take) {
    const auto goesOn = [&request](const ProgressState& /*state*/ = {}) {
        return !request.isCancelled || !request.isCancelled();
    };
    if (selected.size() >= kManySeries) {
        const analysis::RunStudy study(request.store, Run(), goesOn);
        return analysis::forEachPart(
            study, "Reading", selected,
            [&read](const store::Store& store, const SelectedSeries& one,
                const Progress& tell) -> decltype(read(store, one)) {
                if (!tell({}))
                    return cancelled();
                return read(store, one);
            },
            [&take](const SelectedSeries& one, auto&& answer) {
                take(one, std::forward<decltype(answer)>(answer));
                return Status();
            });
    }
    for (const SelectedSeries& one : selected) {
        if (!goesOn())
            return cancelled();
        auto answer = read(request.store, one);
        if (!answer.hasValue())
            return answer.error();
        take(one, std::move(answer).value());
    }
    return {};
}

// Hands each series with its buckets to `add`, in their order.
template <typename Add>
Status readSeries(
    const LaneRequest& request, const std::vector<SelectedSeries>& selected, const Add& add) {
    const auto read = [&](const store::Store& store, const SelectedSeries& one) {
        return readBuckets(store, request, one);
    };
    return readEach(
        request, selected, read, [&](const SelectedSeries& one, std::vector<Bucket>&& buckets) {
            const Subject& subject = one.series->description.subject;
            add(LaneSeries{one.run, subject, one.node, one.series->id,
                subjectLabel(subject, one.node), std::move(buckets), {}, {}, {}});
        });
}

// One axis for the whole run, so that it does not jump while panning.
Result<LaneExtent> extentOf(
    const LaneRequest& request, const std::vector<SelectedSeries>& selected) {
    LaneExtent extent;
    std::vector<SelectedSeries> counters;
    for (const auto& one : selected) {
        const Series& series = *one.series;
        if (isRemote(request, series))
            continue;
        if (series.description.metric.kind == MetricKind::Counter)
            counters.push_back(one);
        else if (series.count > series.missing)
            extent.add(series.min, series.max);
    }
    const auto read = [](const store::Store& store, const SelectedSeries& one) {
        return counterRateBounds(store, *one.series);
    };
    RETURN_IF_ERROR(
        readEach(request, counters, read, [&](const SelectedSeries& /*one*/, RateBounds bounds) {
            extent.add(bounds.low, bounds.high);
        }));
    return extent;
}

// A loss of 2.3 that falls to 2.2 is what is looked at.
bool startsAtZero(const Metric& metric, std::string_view unit) {
    return unit != "°C" && unit != "Hz" && metric.kind != MetricKind::Progress;
}

} // namespace

void setAxis(LaneData& lane, const Metric& metric, LaneExtent extent) {
    const bool counter = metric.kind == MetricKind::Counter;
    const std::string siUnit = counter ? metric.unit + "/s" : metric.unit;
    if (extent.isEmpty())
        extent.add(0.0, siUnit == "1" ? 1.0 : 0.0);
    const text::ShownUnit unit = text::shownUnit(
        siUnit, std::max(std::abs(extent.low), std::abs(extent.high)), metric.name);
    lane.unit = unit.unit;
    lane.displayScale = unit.scale;
    if (unit.unit == "%" && extent.low >= 0.0 && extent.high <= 1.0)
        extent.add(0.0, 1.0);
    if (lane.spec.style != LaneStyle::Heat && startsAtZero(metric, siUnit) && extent.low > 0.0)
        extent.low = 0.0;
    const ValueRange range = roundRange(extent.low, extent.high, unit.scale);
    lane.low = range.low;
    lane.high = range.high;
}

namespace {

constexpr std::string_view kNoState = "none";

// States that the series of a lane name in each column, by its first, last, least and greatest
// sample, which are all that the pyramid has of a wide column.
class StateRows {
public:
    StateRows(LaneData& lane, int columns, const Metric& metric)
        : m_lane(lane)
        , m_metric(metric)
        , m_columns(static_cast<std::size_t>(columns)) { }

    void add(const LaneSeries& series) {
        if (!isShared(m_metric.kind))
            return;
        OfRun& run = m_runs[series.run];
        run.present.resize(m_columns);
        const Bucket* before = nullptr; // columns mostly say what the one before said
        std::vector<std::vector<int>*> counts;
        for (std::size_t i = 0; i < std::min(m_columns, series.buckets.size()); ++i) {
            const Bucket& bucket = series.buckets[i];
            if (std::isnan(bucket.last))
                continue;
            ++run.present[i];
            if (before == nullptr || valuesOf(*before) != valuesOf(bucket)) {
                counts.clear();
                for (const std::string& name : namesIn(bucket))
                    counts.push_back(&run.counts[name]);
            }
            before = &bucket;
            for (std::vector<int>* named : counts) {
                named->resize(m_columns);
                ++(*named)[i];
            }
        }
    }

    void finish() {
        for (const auto& [index, run] : m_runs) {
            for (const auto& [name, counts] : run.counts) {
                // The row "none" is left out unless it is the only one.
                if (name == kNoState && run.counts.size() > 1)
                    continue;
                LaneState state{index, labelOfName(name), {}};
                for (std::size_t i = 0; i < m_columns; ++i)
                    state.shares.push_back(run.present[i] == 0
                            ? std::numeric_limits<float>::quiet_NaN()
                            : static_cast<float>(counts[i]) / static_cast<float>(run.present[i]));
                m_lane.states.push_back(std::move(state));
            }
        }
    }

private:
    struct OfRun {
        std::vector<int> present; // series with a value, by column
        std::map<std::string, std::vector<int>> counts;
    };

    static std::array<float, 4> valuesOf(const Bucket& bucket) {
        return {bucket.first, bucket.last, bucket.min, bucket.max};
    }
    [[nodiscard]] std::set<std::string> namesIn(const Bucket& bucket) const {
        std::set<std::string> names;
        for (const float value : valuesOf(bucket)) {
            for (std::string& name : namesOfValue(m_metric, static_cast<double>(value)))
                names.insert(std::move(name));
        }
        return names;
    }

    LaneData& m_lane;
    Metric m_metric;
    std::size_t m_columns;
    std::map<std::size_t, OfRun> m_runs;
};

// The line of a limit is shown where the power comes so near to it; a lower one stays as it was.
constexpr double kNearLimit = 0.6;

const Series* recordedLimitOf(const Catalogue::OfRun& run, int rank) {
    const auto found = std::ranges::find_if(run.series, [rank](const auto& one) {
        return one.description.metric.name == metric::kPowerLimit
            && one.description.subject.kind == SubjectKind::Gpu
            && one.description.subject.rank == rank;
    });
    return found != run.series.end() && found->min < found->max ? &*found : nullptr;
}

// The highest limit of the GPUs of a run in each column.
class LimitLines {
public:
    LimitLines(const LaneRequest& request, LaneData& lane)
        : m_request(request)
        , m_lane(lane) { }

    Status add(const SelectedSeries& selected) {
        const int rank = selected.series->description.subject.rank;
        const Catalogue::OfRun& run = m_request.catalogue.runs[selected.run];
        const auto limit = run.powerLimitsW.find(rank);
        if (limit == run.powerLimitsW.end())
            return {};
        std::vector<float>& highest = valuesOf(selected.run);
        const Series* recorded = recordedLimitOf(run, rank);
        if (recorded == nullptr) {
            raise(highest, std::vector<float>(highest.size(), static_cast<float>(limit->second)));
            return {};
        }
        ASSIGN_OR_RETURN(const auto buckets,
            readBuckets(m_request.store, m_request, {selected.run, selected.node, recorded}));
        std::vector<float> values;
        for (const Bucket& bucket : buckets)
            values.push_back(bucket.max);
        raise(highest, values);
        return {};
    }

private:
    std::vector<float>& valuesOf(std::size_t run) {
        for (LaneLimit& limit : m_lane.limits) {
            if (limit.run == run)
                return limit.values;
        }
        m_lane.limits.push_back({run,
            std::vector<float>(static_cast<std::size_t>(m_request.columns),
                std::numeric_limits<float>::quiet_NaN())});
        return m_lane.limits.back().values;
    }
    static void raise(std::vector<float>& highest, const std::vector<float>& values) {
        for (std::size_t i = 0; i < std::min(highest.size(), values.size()); ++i) {
            if (std::isnan(highest[i]) || values[i] > highest[i])
                highest[i] = values[i];
        }
    }

    const LaneRequest& m_request;
    LaneData& m_lane;
};

Status addLimits(const LaneRequest& request, const std::vector<SelectedSeries>& selected,
    LaneData& lane, LaneExtent& extent) {
    if (lane.spec.metric != metric::kGpuPower || lane.spec.style == LaneStyle::Heat)
        return {};
    LimitLines lines(request, lane);
    for (const SelectedSeries& one : selected)
        RETURN_IF_ERROR(lines.add(one));
    for (const LaneLimit& limit : lane.limits) {
        for (const float value : limit.values) {
            const auto watts = static_cast<double>(value);
            if (extent.high >= kNearLimit * watts) // not NaN
                extent.add(watts, watts);
        }
    }
    return {};
}

std::string countText(const LaneData& lane, std::size_t runs) {
    const SubjectKind kind = lane.series.front().subject.kind;
    const SubjectNoun noun = nounOf(kind);
    std::string text = kind == SubjectKind::Run
        ? std::string(noun.one)
        : text::counted(static_cast<std::int64_t>(lane.series.size()), noun.one, noun.many);
    if (runs > 1)
        text += " of " + text::counted(static_cast<std::int64_t>(runs), "run");
    return text;
}

constexpr std::string_view kByRun = "coloured by run";

std::string styleText(const LaneData& lane, std::size_t runs, std::size_t nodes) {
    switch (drawnStyle(lane)) {
    case LaneStyle::Heat:
        return "one row each";
    case LaneStyle::Band:
        return lane.spec.style == LaneStyle::Lines ? "median, 5–95 %, outliers by name"
                                                   : "median, 25–75 %, 5–95 %, range";
    default:
        break;
    }
    if (runs > 1)
        return std::string(kByRun);
    return nodes > 1 ? "coloured by node" : "";
}

} // namespace

void setTexts(LaneData& lane, const Metric& metric) {
    lane.title = metric.label.empty() ? metric.name : metric.label;
    if (lane.spec.rank)
        lane.title += fmt::format(" · rank {}", *lane.spec.rank);
    std::set<std::size_t> runs;
    std::set<int> nodes;
    for (const auto& series : lane.series) {
        runs.insert(series.run);
        nodes.insert(series.node);
    }
    lane.subtitle = lane.unit;
    const auto add = [&lane](const std::string& text) {
        if (!text.empty())
            lane.subtitle += (lane.subtitle.empty() ? "" : ", ") + text;
    };
    const std::string style = lane.series.size() > 1 && lane.states.empty()
        ? styleText(lane, runs.size(), nodes.size())
        : std::string();
    // Colours by run say of themselves that there are several.
    if (lane.series.size() > 1 || !lane.spec.rank)
        add(countText(lane, style == kByRun ? 1 : runs.size()));
    add(style);
}

Result<LaneData> loadMetricLane(const LaneRequest& request, const LaneSpec& spec) {
    LaneData lane;
    lane.spec = spec;
    const auto selected = selectSeries(request.catalogue, spec);
    const SeriesDescription of
        = selected.empty() ? SeriesDescription{} : selected.front().series->description;
    const std::size_t count = selected.size();
    const LaneStyle style = drawnStyle(spec.style, count, of.subject.kind);
    LanePreparation preparation(lane, style, request.columns, count, request.detail);
    // An engine gives the band itself where it would be asked for too many series.
    const LaneStyle asked = count <= kManySeries ? spec.style : style;
    StateRows states(lane, request.columns, of.metric);
    std::vector<LaneSeries> unprepared; // drawn by the band that came with them
    ASSIGN_OR_RETURN(const auto remote,
        loadRemote(request, asked, selected, spec.rank.has_value(), [&](LaneSeries series) {
            states.add(series);
            if (asked == LaneStyle::Band)
                unprepared.push_back(std::move(series));
            else
                preparation.add(std::move(series));
        }));
    std::vector<SelectedSeries> stored;
    std::copy_if(selected.begin(), selected.end(), std::back_inserter(stored),
        [&request](const SelectedSeries& one) { return !isRemote(request, *one.series); });
    RETURN_IF_ERROR(readSeries(request, stored, [&](LaneSeries series) {
        states.add(series);
        preparation.add(std::move(series));
    }));
    preparation.finish();
    states.finish();
    std::move(unprepared.begin(), unprepared.end(), std::back_inserter(lane.series));
    lane.bands.insert(lane.bands.end(), remote.bands.begin(), remote.bands.end());
    if (selected.empty()) {
        const Metric* metric = findMetric(spec.metric);
        lane.title = metric == nullptr ? spec.metric : metric->label;
        lane.subtitle = "not recorded by these runs";
        return lane;
    }
    const Metric& metric = of.metric;
    ASSIGN_OR_RETURN(auto extent, extentOf(request, selected));
    if (remote.low <= remote.high)
        extent.add(remote.low, remote.high);
    RETURN_IF_ERROR(addLimits(request, selected, lane, extent));
    setAxis(lane, metric, extent);
    setTexts(lane, metric);
    if (!remote.remark.empty())
        lane.subtitle = remote.remark + (lane.subtitle.empty() ? "" : ", ") + lane.subtitle;
    return lane;
}

using namespace plot;

void fill(Bucket& bucket, float value) {
    bucket.first = value;
    bucket.last = value;
    bucket.min = value;
    bucket.max = value;
    bucket.mean = value;
}

void holdBetweenSamples(
    std::vector<Bucket>& buckets, const Series& series, TimeRange window, double heldAtStart) {
    constexpr float kNoSample = std::numeric_limits<float>::quiet_NaN();
    const double length = static_cast<double>(window.length().ns);
    const auto count = static_cast<double>(buckets.size());
    float held = static_cast<float>(heldAtStart);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        Bucket& bucket = buckets[i];
        if (bucket.count > 0) {
            held = bucket.last;
            continue;
        }
        const double offset = length * static_cast<double>(i) / count;
        const bool ended = window.begin + DurationNs{std::llround(offset)} >= series.range.end;
        if (bucket.gap || ended)
            held = kNoSample;
        fill(bucket, held);
    }
}

} // namespace trainscope::figures
