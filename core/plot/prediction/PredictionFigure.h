#pragma once
// A prediction as a board: the answer in words, its figures with their intervals, the verdict on it
// and another cluster, the step against other candidates and where it goes, its telemetry over what
// was measured, the memory of each pipeline stage, the heat of a node, the schedule, what else
// would do to it, and the candidates of a search: as times against another quantity, and ranked.
// Plain values; SI. Pure.

#include "core/plot/Sheet.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/layout/ScheduleFigure.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::plot {

// A value with the bounds of its 90 % interval; a value that was measured has none.
struct PredictedValue {
    double value = 0.0;
    std::optional<double> low;
    std::optional<double> high;

    [[nodiscard]] double most() const { return high.value_or(value); }
};

// One of the parts that a value adds up from.
struct PredictedPart {
    std::string key; // "gemm", of a breakdown; "weights", of memory
    std::string title;
    double value = 0.0; // s or B
};

// A figure of the prediction, told by itself.
struct PredictedCard {
    std::string title;
    std::string key; // of the CSV: "step_time"
    std::string unit; // SI; "%" for fractions
    PredictedValue value;
    std::string note; // below its interval
    bool isWarning = false;
    // In other words than the unit's: "41.2 days"; empty: in the unit's.
    std::string shown = {};
    std::string bounds = {};
};

// A job whose step is compared: the one that is asked for, others, or a measured one.
struct PredictedStep {
    std::string name;
    PredictedValue seconds;
    std::vector<PredictedPart> parts; // add up to the seconds; none of a measured step
    bool isMeasured = false;
    bool isOom = false;
};

struct PredictedStage {
    int stage = 0;
    std::vector<PredictedPart> parts;

    [[nodiscard]] double total() const;
};

struct PredictedGpu {
    int slot = 0; // 0 in front
    double watts = 0.0;
    double celsius = 0.0;
};

// Candidates of a search.
struct PredictedPoint {
    std::string name;
    PredictedValue seconds;
    double value = 0.0;
    bool isOnFront = false; // nothing is better in both
    bool isChosen = false;
};
struct PredictedFront {
    std::string title; // of the quantity: "Energy of a step"
    std::string unit;
    std::vector<PredictedPoint> points;
};

// A layout of a search, as ranked.
struct PredictedLayout {
    std::string name;
    PredictedValue seconds;
    double energyJ = 0.0; // of a step
    double peakW = 0.0; // of all GPUs
    double memoryB = 0.0; // of the fullest GPU
    double rate = 0.0; // tokens per second and GPU
    bool isOnFront = false;
    bool isChosen = false;
    std::size_t group = 0; // of layouts that are ties, from 1; 0: of none
    bool isFirst = false; // of its group
};

// Rate of the job if one thing about it changed.
struct PredictedChange {
    double factor = 1.0; // on that thing
    PredictedValue rate; // tokens per second and GPU
    bool isOom = false;
    PredictedValue seconds = {}; // of a step; 0: not told
};
struct PredictedSensitivity {
    std::string key; // "link_bandwidth"
    std::string title; // "Link bandwidth"
    std::string value; // what it is: "450 GB/s"; empty: not known
    std::vector<PredictedChange> changes; // by rising factor; those that can be
    std::optional<double> elasticity; // of the step's time
};

// A metric of the GPUs over a step, by column.
struct PredictedLine {
    std::vector<float> mean; // of the GPUs; NaN where nothing is known
    std::vector<float> low; // 5 % of them
    std::vector<float> high; // 95 %
};
// Predicted − measured, of every GPU and column that both have.
struct PredictedResidual {
    double bias = 0.0; // mean
    double mean = 0.0; // of the absolute ones
    double p90 = 0.0; // the same, 90th percentile
    double level = 0.0; // mean of what was measured
    std::size_t gpus = 0; // of each; 0: of their means
};
struct PredictedTrack {
    FigureAxis axis;
    FigureAxis residualAxis;
    PredictedLine measured;
    PredictedLine predicted;
    std::vector<float> residual; // of the means
    PredictedResidual told;
};
struct PredictedTracks {
    std::string run; // whose telemetry was measured
    std::string caption; // how both were laid over each other
    std::optional<double> seconds; // of the axis; absent: it is shares of a step
    std::vector<PredictedTrack> tracks;
};

// A table of ready texts.
struct PredictedTable {
    struct Row {
        std::vector<std::string> cells; // by head; the first stands at the left
        bool isStrong = false;
        bool isQuiet = false;
    };
    std::string caption;
    std::vector<std::string> heads;
    std::vector<Row> rows;
};

// A prediction in the words that one decides by.
struct PredictedDecision {
    std::string answer; // the layout
    std::string job;
    std::vector<std::string> reasons; // sentences
    PredictedTable choices; // the layout among others, with those that are ties
    PredictedTable changes; // its step and training if one thing were otherwise
    std::vector<std::string> sources; // of the figures and their intervals
};

enum class PredictionPanel {
    Answer,
    Cards,
    Choices,
    Changes,
    Verdict,
    Step,
    Tracks,
    Memory,
    Heat,
    Schedule,
    WhatIf,
    Front,
    Ranking,
    Sources,
};
inline constexpr std::array kPredictionPanels{PredictionPanel::Answer, PredictionPanel::Cards,
    PredictionPanel::Choices, PredictionPanel::Changes, PredictionPanel::Verdict,
    PredictionPanel::Step, PredictionPanel::Tracks, PredictionPanel::Memory, PredictionPanel::Heat,
    PredictionPanel::Schedule, PredictionPanel::WhatIf, PredictionPanel::Front,
    PredictionPanel::Ranking, PredictionPanel::Sources};

struct PredictionFigureData : SheetTexts {
    std::optional<PredictedDecision> decision;
    std::vector<PredictedCard> cards;
    std::vector<PredictedStep> steps; // the one that is asked for comes last
    std::vector<PredictedStage> stages;
    std::optional<double> capacityB; // of a GPU's memory
    std::vector<PredictedGpu> node; // in the order of the air
    std::optional<ScheduleFigureData> schedule; // planned, in seconds
    PredictedFront front;
    std::vector<PredictedLayout> ranking; // the best first
    double rate = 0.0; // tokens per second and GPU, that changes are told from
    std::vector<PredictedSensitivity> sensitivities;
    std::shared_ptr<const PredictedTracks> tracks; // nullptr: nothing was measured
    // The best layout on the cluster and on another; nullptr: there is no other.
    std::shared_ptr<const ComparisonData> rival;

    [[nodiscard]] bool has(PredictionPanel panel) const;
    [[nodiscard]] bool isEmpty() const;
};

// A row per value: panel, name, part, unit, value and the bounds of its interval.
std::string predictionCsv(const PredictionFigureData& data);

// Areas are the panels; those without data are left away. Choices are the points of the front. Any
// thread.
Picture buildPrediction(const PredictionFigureData& data, const FigureStyle& style,
    const std::vector<PredictionPanel>& panels);

} // namespace trainscope::plot
