#include "core/plot/figures/FigureParts.h"

#include "core/plot/figures/Figure.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

double contentHeight(const Sheet& sheet, const FigureData& data) {
    if (!data.heatmaps.empty())
        return heatmapsHeight(sheet, data);
    return data.panels.empty() ? spectraHeight(sheet, data)
                               : panelsHeight(sheet, data, sheet.width());
}

void drawContent(const Sheet& sheet, const FigureData& data, Rect area) {
    if (!data.heatmaps.empty())
        drawHeatmaps(sheet, data, area);
    else if (!data.panels.empty())
        drawPanels(sheet, data, area);
    else
        drawSpectra(sheet, data, area);
}

MetricKind kindOf(std::string_view metric) {
    const Metric* known = findMetric(metric);
    return known != nullptr ? known->kind : metricKindOf(metric, MetricKind::Gauge);
}

bool fits(FigureStatistic statistic, MetricKind kind) {
    switch (statistic) {
    case FigureStatistic::Total:
        return kind == MetricKind::Counter;
    case FigureStatistic::Peak:
    case FigureStatistic::Min:
        return isAveraged(kind) || kind == MetricKind::Progress;
    case FigureStatistic::First:
    case FigureStatistic::Last:
        return kind == MetricKind::Progress;
    case FigureStatistic::Mean:
    case FigureStatistic::P99:
    case FigureStatistic::Energy:
        break;
    }
    return isAveraged(kind);
}

} // namespace

Picture buildFigure(const FigureData& data, const FigureStyle& style) {
    Picture picture;
    Sheet sheet(picture, style);
    if (data.isEmpty()) {
        sheet.drawEmpty(data);
        return picture;
    }
    drawContent(sheet, data, sheet.open(data, contentHeight(sheet, data)));
    sheet.close();
    return picture;
}

FigureStatistic usualStatistic(std::string_view metric) {
    const MetricKind kind = kindOf(metric);
    if (kind == MetricKind::Progress)
        return FigureStatistic::Last;
    return kind == MetricKind::Counter ? FigureStatistic::Total : FigureStatistic::Mean;
}

std::vector<FigureChoice> figureStatistics(std::string_view metric) {
    std::vector<FigureChoice> choices;
    for (const FigureStatistic one : allValues<FigureStatistic>()) {
        const bool isEnergy = one == FigureStatistic::Energy;
        if (isEnergy ? metric == metric::kGpuPower : fits(one, kindOf(metric)))
            choices.push_back({std::string(toString(one)), std::string(titleOf(one))});
    }
    return choices;
}

std::string metricTitle(std::string_view metric) {
    const Metric* known = findMetric(metric);
    return known == nullptr ? std::string(metric) : known->label;
}

std::string statisticTitle(std::string_view metric, FigureStatistic statistic) {
    if (statistic == FigureStatistic::Energy)
        return "GPU energy";
    return fmt::format("{}, {}", metricTitle(metric), titleOf(statistic));
}

std::string statisticUnit(const Metric& metric, FigureStatistic statistic) {
    return statistic == FigureStatistic::Energy ? "J" : metric.unit;
}

FigureAxis axisOf(std::string title, std::string metric, std::string siUnit,
    const std::vector<double>& values, bool zeroBased) {
    FigureAxis axis;
    axis.title = std::move(title);
    axis.metric = std::move(metric);
    axis.siUnit = std::move(siUnit);
    double low = 0.0;
    double high = 0.0;
    if (!values.empty()) {
        const auto [least, greatest] = std::ranges::minmax_element(values);
        low = zeroBased ? std::min(0.0, *least) : *least;
        high = zeroBased ? std::max(0.0, *greatest) : *greatest;
    }
    axis.unit = text::shownUnit(axis.siUnit, std::max(std::abs(low), std::abs(high)), axis.metric);
    axis.range = roundRange(low, high, axis.unit.scale);
    return axis;
}

} // namespace trainscope::plot
