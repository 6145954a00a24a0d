#include "core/figures/overview/OverviewFigure.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <limits>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr int kCurveColumns = 240;

// The curve that a sentence's picture shows; empty: none.
std::string pictureMetric(const analysis::OverviewSentence& told) {
    switch (told.topic) {
    case analysis::Topic::Energy:
    case analysis::Topic::Limit:
        return metric::kGpuPower;
    case analysis::Topic::Heat:
        return told.values.contains("peak_temperature_c") ? metric::kGpuTemperature
                                                          : metric::kSmClock;
    case analysis::Topic::Time:
    case analysis::Topic::Path:
    case analysis::Topic::Ranks:
    case analysis::Topic::Change:
        break;
    }
    return {};
}

// The curve of one rank, or of all GPUs with the lowest and the highest of them.
Result<OverviewCurve> pictureCurve(const analysis::RunStudy& study,
    const std::map<int, analysis::GpuSeries>& gpus, const analysis::OverviewSentence& told) {
    OverviewCurve curve;
    const std::string metric = pictureMetric(told);
    if (metric.empty() || study.run.range.isEmpty())
        return curve;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    curve.low.assign(kCurveColumns, none);
    curve.high.assign(kCurveColumns, none);
    curve.mean.assign(kCurveColumns, 0.0); // a sum at first
    std::vector<double> measured(kCurveColumns, 0.0); // GPUs
    const int shown = told.picturedRank.value_or(told.evidence.rank);
    for (const Series& series : analysis::gpuSeriesOf(gpus, metric)) {
        const int rank = series.description.subject.rank;
        if (shown >= 0 && rank != shown)
            continue;
        ASSIGN_OR_RETURN(
            const auto buckets, study.store.buckets(series.id, study.run.range, kCurveColumns));
        for (std::size_t i = 0; i < std::min(buckets.size(), curve.low.size()); ++i) {
            if (buckets[i].count == 0)
                continue;
            // fmin and fmax take the other where one is missing.
            curve.low[i] = std::fmin(curve.low[i], buckets[i].min);
            curve.high[i] = std::fmax(curve.high[i], buckets[i].max);
            curve.mean[i] += static_cast<double>(buckets[i].mean);
            measured[i] += 1.0;
        }
        curve.metric = metric;
        curve.unit = series.description.metric.unit;
    }
    std::transform(curve.mean.begin(), curve.mean.end(), measured.begin(), curve.mean.begin(),
        [](double sum, double count) { return count > 0.0 ? sum / count : none; });
    if (const auto limit = told.values.find("limit_w"); limit != told.values.end())
        curve.limit = limit->second;
    return curve;
}

Result<OverviewFigureData> withCurves(
    const analysis::RunStudy& study, analysis::Overview&& overview) {
    OverviewFigureData data{std::move(overview), {}, {}};
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto gpus = analysis::gpuSeriesByRank(series);
    for (const auto& told : data.overview.sentences) {
        ASSIGN_OR_RETURN(auto curve, pictureCurve(study, gpus, told));
        data.curves.push_back(std::move(curve));
    }
    return data;
}

} // namespace

Result<OverviewFigureData> loadOverview(const analysis::RunStudies& studies, RunId id) {
    ASSIGN_OR_RETURN(const auto run, runOf(studies.store, id));
    ASSIGN_OR_RETURN(auto overview, analysis::overviewOf(studies, run));
    return withCurves(studies.of(run), std::move(overview));
}

Result<std::optional<OverviewFigureData>> loadFirstSentences(
    const analysis::RunStudies& studies, RunId id, std::int64_t few) {
    ASSIGN_OR_RETURN(const auto run, runOf(studies.store, id));
    ASSIGN_OR_RETURN(auto overview, analysis::firstSentences(studies, run, few));
    if (!overview)
        return std::optional<OverviewFigureData>();
    ASSIGN_OR_RETURN(auto data, withCurves(studies.of(run), *std::move(overview)));
    return std::optional(std::move(data));
}

Figure overviewFigure(const std::shared_ptr<const OverviewFigureData>& data) {
    const Run& run = data->overview.run;
    Figure figure{
        "overview", "Overview · " + run.name, data->emptyText, {{run.id, run.name}}, {}, {}, {}};
    figure.csv = [data] { return overviewCsv(*data); };
    figure.draw = drawing(data, plot::buildOverview);
    return figure;
}

std::vector<Kind> overviewKinds() {
    return {{"overview", RunsShown::One, {},
        [](const analysis::RunStudies& studies, const Request& request) -> Result<Figure> {
            ASSIGN_OR_RETURN(auto data, loadOverview(studies, request.runs.front().id));
            return overviewFigure(std::make_shared<const OverviewFigureData>(std::move(data)));
        }}};
}

} // namespace trainscope::figures
