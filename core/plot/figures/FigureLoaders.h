#pragma once
// The kinds of figures, each loaded in a file of its own; called by loadFigure().

#include "core/analysis/statistics/Summary.h"
#include "core/plot/figures/Figure.h"
#include "core/plot/figures/FigureRuns.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::plot {

struct FigureContext {
    const store::Store& store;
    const FigureQuery& query;
    const Progress& progress;
};

// The part of a run that a figure looks at.
struct FigureWindow {
    TimeRange range = kAllTime;
    bool isWholeRun = true;
    std::string wording;
};
Result<FigureWindow> windowOf(const FigureContext& context, const Run& run);
// One sentence for all of them.
std::string windowCaption(const std::vector<FigureWindow>& windows, const FigureQuery& query);

// One statistic; absent where the data cannot give it.
std::optional<double> statisticOf(
    const analysis::SubjectStatistics& statistics, FigureStatistic statistic);
// Of the whole run: mean of the GPUs' means, greatest of their maxima, sum of their totals.
std::optional<double> statisticOf(
    const analysis::RunSummary& summary, const std::string& metric, FigureStatistic statistic);

// "GPU temperature", "SM clock"; the name itself for metrics that are not registered.
std::string metricTitle(std::string_view metric);
// "GPU temperature, peak".
std::string statisticTitle(std::string_view metric, FigureStatistic statistic);
// Widens to round numbers; zeroBased: begins at 0 where nothing is negative.
FigureAxis axisOf(std::string title, std::string metric, std::string siUnit,
    const std::vector<double>& values, bool zeroBased);
// The SI unit of a statistic of a metric: J for energies.
std::string statisticUnit(const Metric& metric, FigureStatistic statistic);

// The numbers of one run's window, of these metrics only.
Result<analysis::RunSummary> summaryOf(const FigureContext& context, const Run& run,
    const FigureWindow& window, const std::vector<std::string>& metrics);

Status loadHeatmap(const FigureContext& context, FigureData& data);
Status loadSweep(const FigureContext& context, FigureData& data);
Status loadKernels(const FigureContext& context, FigureData& data);
Status loadSpectrum(const FigureContext& context, FigureData& data);

} // namespace trainscope::plot
