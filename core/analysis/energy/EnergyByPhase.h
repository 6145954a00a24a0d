#pragma once
// Where the energy of traced GPUs went: gpu_power integrated over what the trace says ran, per
// phase, kernel category, collective, communicator, pipeline stage and iteration.
//
// Attribution is exclusive, so that phases, and categories with idle, each sum to the energy of the
// GPU's trace window:
//   phases       by Phase.h. Hidden communication has the energy of the time in which it and
//                compute run at once; no phase of compute has it too.
//   categories   the compute kernels that run share the power equally; collectives only where no
//                compute runs (they mostly wait), equally too; "idle" where nothing runs.
//   collectives  exposed: as in the categories. hidden: the energy of the time in which it runs
//                beside compute, which the compute categories have as well.
// Samples and spans are of the same host's clock; `lag` moves the samples where they are not.
//
// The bound of each figure is that of SensorBlur.h, with what is known of the sensor: readings that
// are said to be instant average over 25 ms (NVML on Hopper; Z. Yang et al., "Part-time power
// measurements", 2023), those said to be averaged, and those of which nothing is said, over 1 s
// (NVML since Ampere); a sensor that repeats itself has its period measured (SensorProbe.h). Sums
// over GPUs add the bounds.
//
// Beside each stands an estimate with a 90 % interval, where the readings tell it: the powers of
// the phases (and apart of the categories) that explain all readings of the GPU best, times the
// time each has (PowerEstimate.h; only time that has power counts). Phases, and categories, sum to
// the estimate of the whole, which is their powers' energy and what the readings within the trace
// show beyond it; it differs from the integral by what the sensor's delay and averaging moved over
// the trace's edges. A collective has the part of its category's (hidden: of hidden
// communication's) estimate that it has of the time; an iteration the powers of its phases, and
// what the readings of its time show beyond them.

#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/traces/Phase.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct BoundedEnergy {
    double joules = 0.0;
    double bound = 0.0; // the true energy is within joules ± bound
    std::optional<EstimatedEnergy> estimate; // of a sum: where every part has one
    [[nodiscard]] bool isNothing() const { return joules == 0.0 && bound == 0.0 && !estimate; }
    BoundedEnergy& operator+=(const BoundedEnergy& more);
};

struct CollectiveEnergy {
    double exposed = 0.0; // J
    double hidden = 0.0; // J
    std::optional<EstimatedEnergy> exposedEstimate;
    std::optional<EstimatedEnergy> hiddenEstimate;
    CollectiveEnergy& operator+=(const CollectiveEnergy& more);
};

struct IterationEnergy {
    std::int64_t index = 0;
    BoundedEnergy total;
    ByPhase<double> phases; // J, sum to the total
    ByPhase<double> estimatedPhases; // J, sum to the total's estimate, where there is one
    double coverage = 0.0; // of the iterations' time, over the GPUs
    int gpus = 0;
};

struct AttributedEnergy {
    BoundedEnergy total;
    ByPhase<BoundedEnergy> phases;
    std::map<std::string, BoundedEnergy> categories; // and "idle"
    std::map<std::string, CollectiveEnergy> collectives; // by category
    std::map<std::string, CollectiveEnergy> communicators; // "all_reduce in TP_GROUP [0, 1]"
    std::vector<IterationEnergy> iterations; // by index

    AttributedEnergy& operator+=(const AttributedEnergy& more);
};

// Samples are stamped later than the trace by that much, and how far that may be off.
struct PowerLag {
    DurationNs lag;
    double errorNs = 0.0;
};

struct GpuEnergy {
    int rank = -1;
    TimeRange window;
    double coverage = 0.0; // part of the window that has power
    double sensorWindowS = 0.0; // w
    double sensorPeriodS = 0.0; // T
    std::optional<PowerLag> lag; // by which its samples were moved
    AttributedEnergy energy;

    // Of the estimate: what the readings say of the sensor; absent where they are too few.
    struct Sensor {
        double windowS = 0.0; // that it averages over
        double delayS = 0.0; // from the window's middle to the reading's stamp, beyond the lag
        std::size_t readings = 0; // that lie wholly inside the trace
    };
    std::optional<Sensor> estimatedSensor;
};

struct EnergyByPhase {
    std::vector<GpuEnergy> gpus; // by rank: those with trace and power at the same time
    AttributedEnergy sum;
    std::map<int, BoundedEnergy> stages; // by number, summed over their traced GPUs
};

struct EnergyOptions {
    TimeRange window = kAllTime; // as for traceBreakdown()
    IterationChoice iterations;
    std::map<int, PowerLag> lags; // by rank (powerLags()); ranks without have one clock
    double alignmentNs = 0.0; // how far the clocks of ranks without a lag may be off
};

// Without GPUs: the run has no such data. A rank with several devices is left out, since power is
// known by rank.
Result<EnergyByPhase> energyByPhase(const store::Store& store, const Run& run,
    const EnergyOptions& options = {}, const Progress& progress = {});

// How much later than its trace a rank's power is stamped, where that is known to differ from 0:
// from the rank's own power and kernels (PowerEdges.h) where the lag is beyond its error; else, for
// ranks of too short a trace, from those of the other ranks and the offsets of the traces' clocks
// (RankClocks.h), if two ranks or more agree that the power of all is on one clock. Part of a lag
// is that the sensor averages; it is within what SensorBlur.h allows for.

// By rank, for EnergyOptions. Cancelled by progress.
Result<std::map<int, PowerLag>> powerLags(
    const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
