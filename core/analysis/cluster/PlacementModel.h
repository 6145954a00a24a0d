#pragma once
// The arithmetic of a placement, without a run: from what was measured of each GPU to stages,
// layers and expected changes. Pure; any thread. The model: Placement.h.

#include "core/analysis/cluster/Placement.h"
#include "core/layout/Schedule.h"
#include "core/layout/Traffic.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct ThermalFacts {
    double resistance = 0.0; // °C/W
    double low = 0.0; // bounds of the resistance
    double high = 0.0;
    double idleWatts = 0.0;
    std::optional<double> lossPerC; // throttling against temperature, as the GPUs show it
    double lossFromC = 0.0; // from there on
};

// Bytes that the ranks of one group exchange per step.
struct GroupLoad {
    std::vector<int> ranks;
    double bytes = 0.0; // sent by each
};

struct PlacementInput {
    layout::Layout layout;
    std::vector<GpuPlace> gpus; // by rank: rankBefore is the index; rankAfter not set
    int layers = 0;
    std::vector<int> layersBefore; // by stage
    std::vector<double> extra; // by stage, in layers
    std::vector<int> mostLayers; // by stage
    std::optional<ThermalFacts> thermal;
    bool knowsAir = true; // there are front and rear GPUs
    // The groups that a placement may move between nodes; empty: not known.
    std::vector<GroupLoad> loads = {};
    double scaleUp = 0.0; // links of a GPU inside its node, per direction, B/s; 0: not known
    double scaleOut = 0.0; // and out of it
    std::optional<double> stepSeconds = std::nullopt; // as measured
};

inline constexpr double kLeastSpeed = 0.05;
inline constexpr double kLeastLoss = 0.005; // share of the slowest GPU's time; less is not lost
inline constexpr double kLeastGain = 0.005; // share of the step: less is not worth a new placement

Placement placeStages(const PlacementInput& input);

// Everything but the tensor and context groups, which placements keep inside their nodes. Empty
// where the layout or the model does not say what is exchanged.
std::vector<GroupLoad> groupLoads(const layout::Layout& layout, const layout::TrafficModel& model);

// Throttling over temperature as the GPUs of a run show it: a line through those that lose time;
// absent for fewer than three, or where hotter ones do not lose more.
void fitLoss(const std::vector<GpuPlace>& gpus, ThermalFacts& facts);

// Values that a placement's text needs beside the placement.
struct PlacementVerdict {
    double worstLoss = 0.0; // lost share of the slowest GPU
    bool fits = true; // some split fits into memory
    std::optional<Estimate> tooSmall; // change of the step that is not worth it
    bool spansHalves = false; // tensor groups have front and rear GPUs
    std::optional<double> movingCost; // seconds of a step; absent: not known, or nothing moves
};

// Fills headline, reason, assumptions and notes.
void explain(Placement& placement, const PlacementVerdict& verdict);

std::string layerList(const std::vector<int>& layers, std::string_view separator);

} // namespace trainscope::analysis
