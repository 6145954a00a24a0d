#pragma once
// Figures that compare runs: heat maps, sweeps, kernel times and spectra, as kinds of figures, and
// read into plain values.

#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"
#include "core/figures/Figure.h"
#include "core/figures/runs/FigureRuns.h"

namespace trainscope::figures {

std::vector<Kind> runFigureKinds();
// Those of a kind; its runs and itself are no options.
const Options<plot::FigureQuery>& runOptions(plot::FigureKind kind);

// Draws data that has been read; the figure has no sources.
Figure runFigure(const std::shared_ptr<const plot::FigureData>& data);

// Reads what the query asks for. Nothing to draw is no error (see FigureData::emptyText); unknown
// runs, metrics and tables are. Any thread that owns the store; cancelled by progress.
Result<plot::FigureData> loadFigure(
    const analysis::RunStudies& studies, const plot::FigureQuery& query);

// Metrics of those runs (none: of all).
Result<std::vector<plot::FigureChoice>> figureMetrics(
    const store::Store& store, const std::vector<RunId>& runs);

struct FigureContext {
    const analysis::RunStudies& studies;
    const plot::FigureQuery& query;
};

// The part of a run that a figure looks at; all time where that is the whole run.
Result<analysis::SteadyState> windowOf(
    const plot::FigureQuery& query, const analysis::RunStudy& study);
// One sentence for all of them.
std::string windowCaption(
    const std::vector<analysis::SteadyState>& windows, const plot::FigureQuery& query);

// One statistic; absent where the data cannot give it.
std::optional<double> statisticOf(
    const analysis::SubjectStatistics& statistics, plot::FigureStatistic statistic);
std::optional<double> statisticOf(
    const analysis::GpuSummary& gpu, const std::string& metric, plot::FigureStatistic statistic);
// Statistic of the whole run: mean of the GPUs' means, greatest of their maxima, sum of their
// totals.
std::optional<double> statisticOf(const analysis::RunSummary& summary, const std::string& metric,
    plot::FigureStatistic statistic);

// The scale of a statistic's colours: from the least value to the greatest, since rounded ends
// would leave colours to values that do not occur.
plot::FigureAxis colourScale(
    const Metric& metric, plot::FigureStatistic statistic, const std::vector<double>& values);

Status loadHeatmap(const FigureContext& context, plot::FigureData& data);
Status loadSweep(const FigureContext& context, plot::FigureData& data);
Status loadKernels(const FigureContext& context, plot::FigureData& data);
Status loadSpectrum(const FigureContext& context, plot::FigureData& data);
Status loadHistory(const FigureContext& context, plot::FigureData& data);

// The runs of a sweep, and their places on its axis.

struct SweepPlace {
    FigureSubject subject;
    std::string label; // shown on the axis
    std::string group; // places of equal group stand together
};

// In order of the axis. Unless the query names its runs, one run for each place:
//   parallelism   layouts of each model; where a model ran with several optimisations, those runs
//                 that cover most of its layouts, recomputation ("act") before base in a tie, and
//                 the smallest micro-batch of these
//   optimisation  base, cc, act, cc+act of each layout that ran with two or more, the smallest
//                 micro-batch
//   micro-batch   of each layout that ran with two or more
// `notes` gets what was left out.
std::vector<SweepPlace> sweepPlaces(const std::vector<FigureSubject>& subjects,
    const plot::FigureQuery& query, std::vector<std::string>& notes);

} // namespace trainscope::figures
