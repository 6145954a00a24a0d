#include "core/analysis/cluster/RankValues.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Try.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();

Result<std::map<std::string, std::vector<Series>>> gpuSeries(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto all, study.store.series(study.run.id));
    std::vector<Series> ofGpus;
    for (const Series& series : all) {
        const Subject& subject = series.description.subject;
        if (subject.kind == SubjectKind::Gpu && subject.rank >= 0)
            ofGpus.push_back(series);
    }
    return seriesByMetric(ofGpus);
}

Error noSuchMetric(
    std::string_view metric, const std::map<std::string, std::vector<Series>>& byName) {
    std::string known;
    for (const auto& [name, series] : byName)
        known += (known.empty() ? "" : ", ") + name;
    return {ErrorCode::NotFound,
        "The GPUs of this run have no metric '" + std::string(metric) + "'. "
            + (known.empty() ? std::string("They have no telemetry at all.")
                             : "They have: " + known + "."),
        {}};
}

// A sample is held for a period where none follows: sensors end at moments of their own.
bool holdsAt(const Series& series, TimeNs t) {
    return series.range.begin <= t && t < series.range.end + series.period;
}

} // namespace

RankValues RankFrames::at(int frame) const {
    RankValues result(static_cast<std::size_t>(ranks));
    const auto first = static_cast<std::size_t>(frame) * result.size();
    for (std::size_t rank = 0; rank < result.size(); ++rank) {
        if (const float value = values[first + rank]; !std::isnan(value))
            result[rank] = static_cast<double>(value);
    }
    return result;
}

int RankFrames::frameAt(TimeNs time) const {
    const double share = (time - window.begin).seconds() / window.length().seconds();
    return std::clamp(static_cast<int>(std::floor(share * count)), 0, std::max(count - 1, 0));
}

Result<RankSeries> RankSeries::open(const RunStudy& study, std::string_view metric) {
    ASSIGN_OR_RETURN(const auto byName, gpuSeries(study));
    const auto found = byName.find(std::string(metric));
    if (found == byName.end())
        return noSuchMetric(metric, byName);
    RankSeries result;
    bool isFirst = true;
    for (const Series& series : found->second) {
        const auto rank = static_cast<std::size_t>(series.description.subject.rank);
        if (result.m_series.size() <= rank)
            result.m_series.resize(rank + 1);
        result.m_metric = series.description.metric;
        result.m_series[rank] = series;
        if (series.count == 0)
            continue;
        result.m_range = isFirst ? series.range : spanned(result.m_range, series.range);
        isFirst = false;
    }
    return result;
}

Result<std::optional<ValueBounds>> RankSeries::bounds(const store::Store& store) const {
    std::optional<ValueBounds> bounds;
    const auto take = [&](double low, double high) {
        if (std::isnan(low) || std::isnan(high))
            return;
        bounds = bounds ? ValueBounds{std::min(bounds->low, low), std::max(bounds->high, high)}
                        : ValueBounds{low, high};
    };
    for (const auto& series : m_series) {
        if (!series || series->count == series->missing)
            continue;
        if (m_metric.kind != MetricKind::Counter) {
            take(series->min, series->max);
            continue;
        }
        ASSIGN_OR_RETURN(const auto all, store.rateBuckets(series->id, series->range, 1));
        take(all.front().min, all.front().max);
    }
    return bounds;
}

Result<std::vector<Bucket>> RankSeries::buckets(
    const store::Store& store, const Series& series, TimeRange window, int count) const {
    return m_metric.kind == MetricKind::Counter ? store.rateBuckets(series.id, window, count)
                                                : store.buckets(series.id, window, count);
}

Result<RankValues> RankSeries::at(const store::Store& store, TimeNs t) const {
    RankValues values(m_series.size());
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
        const auto& series = m_series[rank];
        if (!series || !holdsAt(*series, t))
            continue;
        const TimeNs last = series->range.end - DurationNs{1};
        if (m_metric.kind == MetricKind::Counter) {
            // A rate belongs to the interval before its sample.
            const TimeNs known = std::min(t, last - DurationNs{1});
            ASSIGN_OR_RETURN(
                const auto rate, store.rateBuckets(series->id, {known, known + DurationNs{1}}, 1));
            if (const float mean = rate.front().mean; !std::isnan(mean))
                values[rank] = static_cast<double>(mean);
            continue;
        }
        ASSIGN_OR_RETURN(values[rank], store.valueAt(series->id, std::min(t, last)));
    }
    return values;
}

Result<RankFrames> RankSeries::frames(
    const store::Store& store, TimeRange window, int count, const Progress& progress) const {
    if (count < 1 || window.length().ns < 1)
        return Error{ErrorCode::Usage, "Frames need a window that is not empty.", {}};
    RankFrames frames{window, count, ranks(), {}};
    frames.values.assign(m_series.size() * static_cast<std::size_t>(count), kAbsent);
    for (std::size_t rank = 0; rank < m_series.size(); ++rank) {
        if (progress && !progress({"Reading values", rank, m_series.size()}))
            return cancelled();
        if (!m_series[rank])
            continue;
        ASSIGN_OR_RETURN(const auto columns, buckets(store, *m_series[rank], window, count));
        for (std::size_t frame = 0; frame < columns.size(); ++frame)
            frames.values[frame * m_series.size() + rank] = columns[frame].mean;
    }
    return frames;
}

} // namespace trainscope::analysis
