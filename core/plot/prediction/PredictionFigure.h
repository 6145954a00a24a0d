#pragma once
// A prediction as a board: its figures with their intervals, the step against other candidates and
// where it goes, the memory of each pipeline stage, the heat of a node, the schedule, and the
// candidates of a search as times against another quantity. Plain values; SI. Pure.

#include "core/plot/figures/FigureGeometry.h"
#include "core/plot/layout/ScheduleFigure.h"

#include <array>
#include <cstddef>
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
    std::string note; // below it, where it has no interval
    bool isWarning = false;
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

enum class PredictionPanel { Cards, Step, Memory, Heat, Schedule, Front };
inline constexpr std::array kPredictionPanels{PredictionPanel::Cards, PredictionPanel::Step,
    PredictionPanel::Memory, PredictionPanel::Heat, PredictionPanel::Schedule,
    PredictionPanel::Front};

struct PredictionFigureData {
    std::string title;
    std::string caption;
    std::vector<std::string> notes;
    std::string emptyText; // what is missing where there is nothing to draw
    std::vector<PredictedCard> cards;
    std::vector<PredictedStep> steps; // the one that is asked for comes last
    std::vector<PredictedStage> stages;
    std::optional<double> capacityB; // of a GPU's memory
    std::vector<PredictedGpu> node; // in the order of the air
    std::optional<ScheduleFigureData> schedule; // planned, in seconds
    PredictedFront front;

    [[nodiscard]] bool has(PredictionPanel panel) const;
    [[nodiscard]] bool isEmpty() const;
};

// A row per value: panel, name, part, unit, value and the bounds of its interval.
std::string predictionCsv(const PredictionFigureData& data);

struct PredictionGeometry {
    struct Place {
        PredictionPanel panel = PredictionPanel::Cards;
        Rect rect;
    };
    PlotScene scene;
    std::vector<Place> panels;
    std::vector<FigureHit> targets; // the last that contains a point is on top
    double preferredHeight = 0.0;
};

// Panels without data are left away. Any thread.
PredictionGeometry buildPrediction(const PredictionFigureData& data, const FigureStyle& style,
    const std::vector<PredictionPanel>& panels);

// Absent where there is nothing.
std::optional<FigureHit> hitPrediction(const PredictionGeometry& geometry, Point at);

} // namespace trainscope::plot
