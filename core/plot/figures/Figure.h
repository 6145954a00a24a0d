#pragma once
// Figures that compare runs: heat maps over GPUs, sweeps over layouts, optimisations and
// micro-batches, kernel times and power spectra. A query is loaded into plain numbers (FigureData),
// which picture and CSV are made from; screen, PNG, PDF and SVG show the same.
//
// All numbers are SI; a number that the data cannot give is absent. core/figures reads the data.

#include "core/model/Metric.h"
#include "core/plot/Sheet.h"
#include "core/plot/Ticks.h"

namespace trainscope::plot {

enum class FigureKind {
    Heatmap, // runs × GPUs of one statistic of one metric
    ParallelismSweep, // statistics against the layout
    OptimizationSweep, // … against overlap and recomputation, for each layout
    MicrobatchSweep, // … against the micro-batch, for each layout
    Kernels, // kernel time by category, stacked
    StageBreakdown, // the same by pipeline stage, for runs that tell these apart
    Spectrum, // amplitude of the summed GPU power over frequency
    History, // power, heat, clock and throttling of each GPU over the runs
};
constexpr auto namesOf(FigureKind) {
    return enumNames("heatmap", "parallelism-sweep", "optimization-sweep", "microbatch-sweep",
        "kernels", "stage-breakdown", "spectrum", "history");
}

// The first three of gauges and rates, Total of counters, Energy of gpu_power.
enum class FigureStatistic { Mean, Peak, P99, Min, Total, Energy, First, Last };
constexpr auto namesOf(FigureStatistic) {
    return enumNames("mean", "peak", "p99", "min", "total", "energy", "first", "last");
}
constexpr auto titlesOf(FigureStatistic) {
    return enumNames(
        "mean", "peak", "99th percentile", "minimum", "total", "energy", "first", "last");
}
using trainscope::titleOf;

// Auto: of one run its captures, else its ranks, where there are several; else the runs.
enum class KernelsPer { Auto, Run, Capture, Stage, Rank };

// The settings of a figure; a plain value.
struct FigureQuery {
    FigureKind kind = FigureKind::Heatmap;
    std::vector<RunId> runs; // empty: all that fit
    std::vector<std::string> metrics; // Heatmap: the first; sweeps: a panel each; empty: the usual
    std::optional<FigureStatistic> statistic; // absent: the metric's own; sweeps: mean and peak
    bool logScale = false; // colours or amplitudes on a logarithmic scale
    bool wholeRun = false; // else warm-up and unsettled time are left out where they are known
    KernelsPer per = KernelsPer::Auto;
    bool normalise = false; // stacks as shares of their sum; efficiency relative to the first
    std::string categories; // table of kernel categories: "", "charllm", or a JSON file
    std::string model; // only runs of models whose name contains this
    std::string optimisation; // only "base", "cc", "act" or "cc+act", where any run is such

    bool operator==(const FigureQuery&) const = default;
};

// A run as figures name it.
struct FigureRun {
    RunId id;
    std::string name;
    RunStatus status = RunStatus::Ok;
    std::string model; // "gpt3-175b"; empty: unknown
    std::string cluster; // "32 × H200"
    std::string layout; // "TP8-PP4"; "layout 3" or the run's name where nothing states it
    std::string optimisation; // "base", "cc", "act", "cc+act"; empty: unknown
    std::optional<int> microBatch;
    std::string label; // the part of its name that differs from the figure's other runs
};

// An axis or a scale of colours. Shown value = SI × unit.scale.
struct FigureAxis {
    std::string title; // without unit: "GPU temperature"
    std::string metric; // for texts of values; may be empty
    std::string siUnit;
    text::ShownUnit unit;
    ValueRange range; // SI
    bool log = false;
};

// One matrix: a row per run, a column per GPU (or node, for metrics of nodes).
struct FigureHeatmap {
    struct Row {
        std::size_t run = 0; // index into FigureData::runs
        std::vector<std::optional<double>> values; // by column
        std::vector<int> nodes; // node of each column's GPU; -1: the run has no such GPU
        std::string note; // right of the row: how long the run took
    };
    FigureStatistic statistic = FigureStatistic::Mean;
    FigureAxis scale;
    bool byNode = false; // columns are nodes
    std::vector<int> columns; // ranks or nodes
    std::vector<Row> rows;
};

// A place on a category axis.
struct FigureCategory {
    std::string label; // "TP8-PP4"
    std::string group; // neighbours of equal text belong together; lines broken by '\n'
    std::optional<std::size_t> run; // index into FigureData::runs
    std::optional<int> stage;
    std::optional<int> rank;
    bool outOfMemory = false; // marked in the place of bars
};
enum class SetRole { Mean, Peak, Single, KernelCategory, Efficiency, Gpu }; // bars, then points
// One number per category.
struct FigureSet {
    std::string name; // as the legend shows it
    std::string key; // key of a kernel category; Gpu: its column in CSV
    SetRole role = SetRole::Single; // Efficiency: on the right axis; kernel categories: stacked
    std::vector<std::optional<double>> values;
    std::size_t place = 0; // Gpu: of its colour
};
struct FigurePanel {
    std::vector<FigureCategory> categories;
    FigureAxis left;
    std::optional<FigureAxis> right;
    std::vector<FigureSet> sets;
};

// A curve with its strongest lines.
struct FigureSpectrum {
    struct Line {
        double frequencyHz = 0.0;
        double amplitudeW = 0.0;
        int harmonic = 0; // multiple of the iteration frequency; 0: none
    };
    std::size_t run = 0; // index into FigureData::runs
    std::vector<double> frequencyHz; // ascending; every point is the greatest of its neighbourhood
    std::vector<double> amplitudeW;
    std::vector<Line> lines; // strongest first
    std::optional<double> iterationHz;
};

// The caption says which part of the runs, and how values were combined.
struct FigureData : SheetTexts {
    FigureQuery query;
    std::vector<FigureRun> runs;
    std::vector<FigureHeatmap> heatmaps;
    std::vector<FigurePanel> panels; // below each other, with one axis of categories
    std::vector<FigureSpectrum> spectra;
    FigureAxis frequency; // axes that all spectra share
    FigureAxis amplitude;

    [[nodiscard]] bool isEmpty() const {
        return heatmaps.empty() && panels.empty() && spectra.empty();
    }
};

// Empty data gives its emptyText in the middle. Pure; any thread.
Picture buildFigure(const FigureData& data, const FigureStyle& style);

// The numbers behind the figure, full precision, SI units in the header.
std::string figureCsv(const FigureData& data);

// For menus and the command line.
struct FigureChoice {
    std::string key; // "gpu_power"
    std::string title; // "GPU power"
};
// Statistics that apply to a metric, the usual one first; keys as fromString<FigureStatistic>()
// takes them.
std::vector<FigureChoice> figureStatistics(std::string_view metric);
FigureStatistic usualStatistic(std::string_view metric);
// "GPU temperature", "SM clock"; the name itself for metrics that are not registered.
std::string metricTitle(std::string_view metric);
// "GPU temperature, peak".
std::string statisticTitle(std::string_view metric, FigureStatistic statistic);
// Widens to round numbers; zeroBased: begins at 0 where nothing is negative.
FigureAxis axisOf(std::string title, std::string metric, std::string siUnit,
    const std::vector<double>& values, bool zeroBased);
// The SI unit of a statistic of a metric: J for energies.
std::string statisticUnit(const Metric& metric, FigureStatistic statistic);

} // namespace trainscope::plot
