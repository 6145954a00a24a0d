#include "core/figures/overview/OverviewFigure.h"

#include "core/analysis/statistics/LineBand.h"
#include "core/analysis/statistics/SeriesSelection.h"

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr int kCurveColumns = 240;

// The curve that a sentence without parts shows; empty: none.
std::string pictureMetric(const analysis::OverviewSentence& told) {
    if (told.topic != analysis::Topic::Heat)
        return told.parts.empty() ? told.evidence.metric : std::string();
    return told.values.contains("peak_temperature_c") ? metric::kGpuTemperature : metric::kSmClock;
}

// The lowest and highest reading with the mean; of many lines the median and where most lie.
OverviewCurve curveOf(const std::vector<std::vector<Bucket>>& lines) {
    OverviewCurve curve;
    for (std::size_t i = 0; i < kCurveColumns; ++i) {
        analysis::BandPoint shown;
        std::vector<double> means;
        for (const auto& line : lines) {
            if (std::isnan(line[i].mean))
                continue;
            // fmin and fmax take the other where one is missing.
            shown.low = std::fmin(shown.low, line[i].min);
            shown.high = std::fmax(shown.high, line[i].max);
            means.push_back(static_cast<double>(line[i].mean));
        }
        if (lines.size() > analysis::kMostLines)
            shown = analysis::bandAt(std::move(means));
        else
            shown.middle = analysis::meanOf(means).value_or(shown.middle);
        curve.low.push_back(shown.low);
        curve.high.push_back(shown.high);
        curve.mean.push_back(shown.middle);
    }
    return curve;
}

// The curve of one rank, or of all GPUs, else of the nodes or the run.
Result<OverviewCurve> pictureCurve(const analysis::RunStudy& study,
    const std::map<std::string, std::vector<Series>>& all, const analysis::OverviewSentence& told) {
    const auto found = all.find(pictureMetric(told));
    if (found == all.end() || study.run.range.isEmpty())
        return OverviewCurve();
    const int shown = told.picturedRank.value_or(told.evidence.rank);
    std::vector<std::vector<Bucket>> lines;
    std::string unit;
    for (const Series& series : found->second) {
        if (shown >= 0 && series.description.subject.rank != shown)
            continue;
        ASSIGN_OR_RETURN(
            lines.emplace_back(), study.store.buckets(series.id, study.run.range, kCurveColumns));
        lines.back().resize(kCurveColumns);
        unit = series.description.metric.unit;
    }
    if (lines.empty())
        return OverviewCurve();
    OverviewCurve curve = curveOf(lines);
    curve.metric = found->first;
    curve.unit = unit;
    if (const auto limit = told.values.find("limit_w"); limit != told.values.end())
        curve.limit = limit->second;
    return curve;
}

Result<OverviewFigureData> withCurves(
    const analysis::RunStudy& study, analysis::Overview&& overview) {
    OverviewFigureData data{std::move(overview), {}, {}, {}};
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto byMetric = analysis::seriesByMetric(series);
    for (const auto& told : data.overview.sentences) {
        ASSIGN_OR_RETURN(auto curve, pictureCurve(study, byMetric, told));
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
