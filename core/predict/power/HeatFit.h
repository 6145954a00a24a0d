#pragma once
// HeatFit: the thermal network of a node (ThermalNetwork.h) from its measured powers and
// temperatures. Pure; any thread.

#include "core/predict/power/ThermalNetwork.h"

#include <optional>
#include <vector>

namespace trainscope::predict {

// By slot and then by step of equal length; NaN: not known.
struct HeatRecord {
    double stepSeconds = 1.0;
    std::vector<int> rows; // rows of the slots in the air, 0 in front
    std::optional<double> usualResistance = {}; // K/W, as that kind of GPU usually has
    std::vector<std::vector<double>> watts;
    std::vector<std::vector<double>> celsius;
};

struct HeatFit {
    ThermalNode node;
    double medianResistance = 0.0; // median over the slots
    double errorC = 0.0; // mean absolute, where it was fitted
    double heldOutErrorC = 0.0; // the same on the rest, played on from the last fitted moment
    std::size_t moments = 0; // temperatures that were fitted
    std::size_t heldOutMoments = 0;
};

// Inlet, rise and time constant of the node and the resistance of each slot, by least squares over
// the first `fitted` share of the steps; a slot's resistance is a priori that of the others ± 6 %,
// which decides where powers do not tell it from the air's rise, and theirs together is the usual
// one ± 30 %. Absent where that part has fewer than 32 moments, temperatures that change by less
// than 4 °C, or tells an inlet that no room has (0 to 60 °C) or a time constant of three minutes.
std::optional<HeatFit> fitHeat(const HeatRecord& record, double fitted = 0.6);

// Mean absolute error of a node that is played through the record from its first temperatures.
struct HeatError {
    double celsius = 0.0;
    std::size_t moments = 0;
};
HeatError heatError(const ThermalNode& node, const HeatRecord& record);

} // namespace trainscope::predict
