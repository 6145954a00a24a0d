#pragma once
// RunPower: the constants of power and heat (GpuPower.h, ThermalNetwork.h) from a measured run in
// the database, with what they leave unexplained. Each part is fitted on the first 60 % of the
// record and tried on the rest. Any thread that owns the store.

#include "core/analysis/RunStudy.h"
#include "core/model/Import.h"
#include "core/predict/power/HeatFit.h"
#include "core/store/Store.h"

#include <optional>
#include <vector>

namespace trainscope::predict {

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
