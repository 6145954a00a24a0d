#pragma once
// RunPower: the constants of power and heat (ThermalNetwork.h) from a measured run in
// the database, with what they leave unexplained. Each part is fitted on the first 60 % of the
// record and tried on the rest. Any thread that owns the store.

#include "core/analysis/RunStudy.h"
#include "core/predict/power/ThermalNetwork.h"

namespace trainscope::predict {

// Powers and temperatures of a node, that its thermal network (ThermalNetwork.h) is fitted to: by
// slot and then by step of equal length; NaN: not known.
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
// the first `fitted` share of the steps; a slot's resistance is a priori that of the others ± 6 %
// (this decides where powers do not tell it from the air's rise), and theirs together is the usual
// one ± 30 %. Absent where that part has fewer than 32 moments, temperatures that change by less
// than 4 °C, or tells an inlet that no room has (0 to 60 °C) or a time constant of three minutes.
std::optional<HeatFit> fitHeat(const HeatRecord& record, double fitted = 0.6);

// Mean absolute error of a node that is played through the record from its first temperatures.
struct HeatError {
    double celsius = 0.0;
    std::size_t moments = 0;
};
HeatError heatError(const ThermalNode& node, const HeatRecord& record);

// Mean absolute differences on the part of the record that was not fitted.
struct Residual {
    double mean = 0.0; // W or K
    double relative = 0.0; // share of the measured value; 0 for temperatures
    std::size_t moments = 0;
};
class ResidualSum {
public:
    // Nothing is relative to a measured value of 0 or less: such a moment is left out.
    void add(double predicted, double measured);
    [[nodiscard]] std::optional<Residual> residual() const; // absent without moments

private:
    Residual m_sum;
};

// One GPU in a step of time; NaN: not known.
struct PowerMoment {
    double watts = 0.0;
    double clockHz = 0.0;
    double utilization = 0.0;
    double celsius = 0.0;
};

// Powers, clocks and utilisations of the GPUs, as a fit uses them.
struct StatePowers {
    std::optional<double> idleW; // median without kernels at the highest clock
    std::optional<double> parkedW; // and at less than half of it
    std::optional<double> busyW; // median of busy GPUs, each brought to the highest clock
    std::optional<double> limitW; // a plateau of power on which clocks give way
    double highestHz = 0.0; // clock
    std::optional<Residual> residual; // the power's, clock and utilisation being known
};
// gpu: the voltages and leakage that bring powers from one clock to another. byGpu: in order of
// time; the first `fitted` share of each is fitted.
StatePowers statePowers(
    const GpuPower& gpu, const std::vector<std::vector<PowerMoment>>& byGpu, double fitted = 0.6);

// The power of each activity, from traces beside the power (core/analysis/energy/PowerFit.h).
struct ActivityPowers {
    ByActivity<std::optional<double>> watts; // as drawn at the clocks of the run
    double clock = 1.0; // median of busy GPUs, of the highest
    int gpus = 0;
    std::optional<Residual> residual; // the sensor's readings'
};

struct NodeHeat {
    int node = 0;
    std::vector<int> ranks; // by slot
    HeatFit fit;
};

struct RunPower {
    StatePowers states;
    std::optional<ActivityPowers> activities;
    std::vector<NodeHeat> nodes;
    std::optional<GpuThermal> thermal; // medians over the nodes
    std::optional<NodeAir> air;
    std::optional<Residual> temperature; // over the nodes
};

// Parts that the run does not tell are absent. Cancelled by progress.
Result<RunPower> powerOfRun(const analysis::RunStudy& study);

// A GPU with the constants that the run tells in place of its own.
GpuPower calibrated(const GpuPower& gpu, const RunPower& run);

} // namespace trainscope::predict
