#pragma once
// Energy of traced GPUs per phase, kernel category, collective, communicator, pipeline stage,
// iteration, capture and kernel name.
//
// An energy is estimated with a 90 % interval: the powers of the classes of work (phase and
// category together) that explain all readings of the GPU's power best behind the sensor's
// averaging and delay (PowerFit.h), times the time of each. The whole is what the GPU's energy
// counter counted, where it has one (MeasuredEnergy.h); else the powers' energy and what the
// readings within the trace show beyond it. Phases, and categories with copies and idle, each sum
// to the whole. Energy that the readings do not tell is absent, with the reason.
//
// Attribution is exclusive. The categories of compute kernels that run share the power equally;
// collectives count where no compute runs (they mostly wait), equally too. A collective has the
// part of its category's energy (hidden: of hidden communication's, which the compute categories
// have as well) that it has of the time. Kernel names share the energy of their category: each name
// has a power of its own where the readings tell it, else its category's, give or take what kernels
// of a category differ by.
//
// Only traced time counts: the captures of a rank (core/model/Capture.h), each from the first to
// the last work of the device in it. Samples and spans are of the same host's clock; `lag` moves
// the samples where they are not.

#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/Phase.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

struct CollectiveEnergy {
    PartEnergy exposed;
    PartEnergy hidden;
    CollectiveEnergy& operator+=(const CollectiveEnergy& more);
};

struct IterationEnergy {
    std::int64_t index = 0;
    PartEnergy total;
    ByPhase<double> phases; // J, sum to the total where it is known
    double coverage = 0.0; // share of the iterations' time, over the GPUs
    int gpus = 0;
};

struct KernelEnergy {
    double seconds = 0.0; // run time of the kernels, summed
    PartEnergy energy;
    KernelEnergy& operator+=(const KernelEnergy& more);
};
// By name and category; copies and sets under an empty name in the category "copy".
using KernelEnergies = std::map<std::pair<std::string, std::string>, KernelEnergy>;

struct AttributedEnergy {
    PartEnergy total;
    ByPhase<PartEnergy> phases;
    std::map<std::string, PartEnergy> categories; // and "copy", "idle"
    std::map<std::string, CollectiveEnergy> collectives; // by category
    std::map<std::string, CollectiveEnergy> communicators; // "all_reduce in TP_GROUP [0, 1]"
    std::vector<IterationEnergy> iterations; // by index
    std::map<std::string, PartEnergy> captures; // by name
    KernelEnergies kernels; // empty unless asked for

    AttributedEnergy& operator+=(const AttributedEnergy& more);
};

// Samples are stamped later than the trace by that much, and how far that may be off.
struct PowerLag {
    DurationNs lag;
    double errorNs = 0.0;
};

struct GpuEnergy {
    int rank = -1;
    TimeRange window; // from the first to the last traced moment
    DurationNs traced; // without the time between captures
    double coverage = 0.0; // part of the traced time that has power
    bool isCounted = false; // the whole is what the energy counter counted
    std::optional<PowerLag> lag; // by which its samples were moved
    AttributedEnergy energy;

    // The sensor as the readings show it; absent where they are too few.
    struct Sensor {
        double windowS = 0.0; // it averages over that
        double delayS = 0.0; // from the window's middle to the reading's stamp, beyond the lag
        std::size_t readings = 0; // those wholly inside traced time
    };
    std::optional<Sensor> sensor;
};

struct EnergyByPhase {
    std::vector<GpuEnergy> gpus; // by rank: those with trace and power at the same time
    std::map<int, NoEnergy> unknown; // by rank: those that were traced, and have none
    AttributedEnergy sum;
    std::map<int, PartEnergy> stages; // by number, summed over their traced GPUs
};

struct EnergyOptions {
    // As for traceBreakdown(); the powers are found from 10 s on both sides of it too.
    TimeRange window = kAllTime;
    RankWindow windowOf; // in its place: one for each rank
    IterationChoice iterations;
    // By rank, ranks without have one clock; absent: as powerLags() tells.
    std::optional<std::map<int, PowerLag>> lags;
    bool byKernel = false;
};

// Without GPUs: the run has no such data.
Result<EnergyByPhase> energyByPhase(const RunStudy& study, const EnergyOptions& options = {});

// Tells what deviceTraces() and energyByPhase() tell, from one pass; of a window, whose energy
// rests on more time than its trace, each device is walked for both.
struct TracesWithEnergy {
    std::vector<DeviceTrace> devices; // by rank, then device
    EnergyByPhase energy;
};
Result<TracesWithEnergy> tracesWithEnergy(
    const RunStudy& study, const KernelCategories& categories, const EnergyOptions& options);
// The same of all that was traced, without iterations. A study reads it once.
Result<TracesWithEnergy> allTraced(const RunStudy& study);

// An iteration of which all GPUs with power, so many, were traced has the energy that is told of it
// beside its trace, so that there is one figure.
void takeTraced(
    const EnergyByPhase& energy, std::size_t gpus, std::vector<IterationFigures>& iterations);

// Delay of the stamps of a rank's power behind its trace, where it is known to differ from 0: from
// the rank's own power and kernels (PowerEdges.h) where the lag is beyond its error; else, for
// ranks of too short a trace, from those of the other ranks and the offsets of the traces' clocks
// (RankClocks.h), if two ranks or more agree that the power of all is on one clock. Part of a lag
// is that the sensor averages. Cancelled by progress.
Result<std::map<int, PowerLag>> powerLags(const RunStudy& study);

} // namespace trainscope::analysis
