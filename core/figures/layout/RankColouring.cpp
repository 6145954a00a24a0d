#include "core/figures/layout/RankColouring.h"

#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::figures {

using namespace plot;

namespace {

Result<ColouredRanks> atMoment(const analysis::RunStudy& study, const ColourQuery& query) {
    ASSIGN_OR_RETURN(const auto series, analysis::RankSeries::open(study, query.metric));
    auto scale = momentScale(study.store, series);
    if (!scale.hasValue())
        return scale.error();
    ASSIGN_OR_RETURN(auto values, series.at(study.store, *query.at));
    ColouredRanks result;
    result.colours = {RankColour::Value, std::move(values), std::move(scale).value()};
    result.caption = fmt::format(
        "{} at {} s after the run's begin; the scale is that of the whole run.",
        result.colours.scale.title, text::number((*query.at - study.run.range.begin).seconds(), 9));
    return result;
}

analysis::RankValues statisticsOf(
    const analysis::RunSummary& summary, const std::string& metric, FigureStatistic statistic) {
    analysis::RankValues values;
    for (const auto& gpu : summary.gpus) {
        if (gpu.gpu.rank < 0)
            continue;
        const auto at = static_cast<std::size_t>(gpu.gpu.rank);
        values.resize(std::max(values.size(), at + 1));
        values[at] = statisticOf(gpu, metric, statistic);
    }
    return values;
}

Result<ColouredRanks> byStatistic(const analysis::RunStudy& study, const ColourQuery& query) {
    // Says which metrics there are where it is none of them.
    ASSIGN_OR_RETURN(const auto series, analysis::RankSeries::open(study, query.metric));
    FigureQuery figure;
    figure.runs = {study.run.id};
    figure.wholeRun = query.wholeRun;
    ASSIGN_OR_RETURN(const auto window, windowOf(figure, study));
    ASSIGN_OR_RETURN(
        const auto summary, analysis::summarise(study, {window.window, {query.metric}}));
    const auto statistic = query.statistic.value_or(usualStatistic(query.metric));
    auto values = statisticsOf(summary, query.metric, statistic);
    std::vector<double> known;
    for (const auto& value : values) {
        if (value)
            known.push_back(*value);
    }
    if (known.empty())
        return Error{ErrorCode::NotFound,
            fmt::format(
                "No GPU of this run has a value for {}.", statisticTitle(query.metric, statistic)),
            study.run.name};
    ColouredRanks result;
    result.colours.scale = colourScale(series.metric(), statistic, known);
    result.colours.by = RankColour::Value;
    result.colours.values = std::move(values);
    result.caption = windowCaption({window}, figure);
    return result;
}

} // namespace

Result<FigureAxis> momentScale(const store::Store& store, const analysis::RankSeries& series) {
    ASSIGN_OR_RETURN(const auto bounds, series.bounds(store));
    const Metric& metric = series.metric();
    if (!bounds)
        return Error{
            ErrorCode::NotFound, "Every sample of " + metric.name + " of this run is missing.", {}};
    const auto [low, high] = *bounds;
    const bool isCounter = metric.kind == MetricKind::Counter;
    FigureAxis axis = axisOf(metricTitle(metric.name) + (isCounter ? ", rate" : ""), metric.name,
        isCounter ? metric.unit + "/s" : metric.unit, {low, high}, false);
    if (low < high)
        axis.range = {low, high};
    return axis;
}

Result<ColouredRanks> colourRanks(const analysis::RunStudy& study, const ColourQuery& query) {
    if (query.by != RankColour::Value) {
        ColouredRanks result;
        result.colours.by = query.by;
        return result;
    }
    return query.at ? atMoment(study, query) : byStatistic(study, query);
}

} // namespace trainscope::figures
