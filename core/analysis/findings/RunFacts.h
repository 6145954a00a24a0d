#pragma once
// Inputs of the rules: the analyses of one run, each made once; and the facts that they take from
// its call trees: operators below the roofline, small kernels, calls that take longer than their
// work, work done again, copies.

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/findings/Findings.h"
#include "core/analysis/findings/Plausibility.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/machine/AllocatorMemory.h"
#include "core/analysis/machine/GpuHistory.h"
#include "core/analysis/operators/CallTree.h"
#include "core/analysis/replay/StepReplay.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/steps/IterationTable.h"
#include "core/analysis/telemetry/Burstiness.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/Temperature.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/WaitCauses.h"
#include "core/catalogue/GpuModel.h"

namespace trainscope::analysis {

inline constexpr double kLowRoofline = 0.30; // attainable / measured time
inline constexpr double kLeastSlowCallS = 10e-6; // shorter calls are small kernels
inline constexpr double kSmallKernelS = 5e-6; // about what starting one takes
inline constexpr double kHostOverWork = 2.0; // time of calls / time of their work

// A part of the time on the GPUs, and where it is.
struct OperatorPart {
    std::string name; // name of an operator or a module
    std::string shape; // "[64, 32], [32, 16] bf16"; empty: none
    double seconds = 0.0; // on the GPUs
    double savedS = 0.0; // above the roofline
    double hostS = 0.0; // time of its calls
};

struct OperatorFacts {
    double savedS = 0.0; // by all of `slow` at their roofline
    std::vector<OperatorPart> slow; // shapes below kLowRoofline, by what they would save
    std::int64_t kernels = 0;
    std::int64_t smallKernels = 0; // shorter than kSmallKernelS in the mean of their node
    double smallS = 0.0;
    std::vector<OperatorPart> smallIn; // by time
    std::vector<OperatorPart> launchBound; // modules and annotations, by the time of their calls
    double recomputedS = 0.0;
    std::vector<OperatorPart> recomputed; // operators, by time
    double copiedS = 0.0; // by kernels of operators that copy, convert or join tensors
    std::vector<OperatorPart> copiedIn; // modules, else operators, by time
};

// `gpu`: nullptr where it is not known: nothing is below its roofline then.
OperatorFacts operatorFacts(const CallTree& tree, const catalogue::GpuModel* gpu);

// One traced device, in seconds of its window.
struct TracedDevice {
    int rank = -1;
    TimeRange window;
    double windowS = 0.0; // its captures
    double idleS = 0.0;
    double exposedS = 0.0;
    double hostBoundS = 0.0;
    std::map<std::string, double>
        exposedByKindS; // "all_reduce"; kinds that run together count both
    double copyS = 0.0; // nothing but copies and memory sets ran
    std::map<std::string, double> copiesS; // summed, by direction: "DtoD"
};

// Traffic on a link of a GPU while the GPU worked: the running counter of bytes (or, in its place,
// sampled rates) over the parts of a window in which the utilisation of the GPU, its time-weighted
// mean from one sample of the link to the next, is at least kBusyUtilization.
struct BusyTraffic {
    int rank = -1;
    std::string metric; // "nvlink_rx", of a rate too
    double bytes = 0.0; // while busy
    double busyS = 0.0; // more than 0
    [[nodiscard]] double rate() const { return bytes / busyS; } // B/s
};

// Facts of a run. If a capture is asked for, its stretch takes the place of the run and of the
// steady state.
struct RunFacts {
    Run run;
    std::string capture; // for people: "the capture 'eager-16'"; empty: the run
    RunSummary whole;
    RunSummary steady; // power, temperature, clock and utilisation in the steady window
    SteadyState steadyState;
    RunIterations iterations;
    std::vector<IterationChange> changes; // the run's
    std::optional<Throttling> throttling;
    std::vector<AboveLimit> aboveLimit; // by rank, with their steps
    std::vector<KernelAboveLimit> kernelsAbove; // by joules; read where it matters
    AirflowOrder airflow; // empty: by ascending local index
    std::string airflowEvidence; // a sentence for an inferred order; empty: it was said
    std::optional<Burst> burst;
    std::vector<SpectralLine> spectrum; // the summed power's
    bool isSpectrumSteady = false; // the steady window's; else the run's
    std::optional<RunSettling> settling;
    std::vector<Series> power; // gpu_power of each GPU
    std::optional<Sensor> powerSensor;
    Efficiency efficiency; // the run's
    std::vector<BusyTraffic> traffic; // in the steady window
    std::map<int, int> stageOf; // by rank; empty: one stage, or not known
    std::vector<TracedDevice> traced; // behind warm-up, where the traces go on there
    std::string tracedPart; // names that part; empty: all of the traces
    std::optional<OperatorFacts> operators; // all traced ranks'; absent without calls of hosts
    std::optional<Pipeline> pipeline;
    std::optional<CommunicationSummary> communication;
    std::optional<WaitCauses> causes; // absent where little is waited
    std::vector<UnreachedCollective> unreached; // by the flight recorder
    Plausibility plausibility; // the run's
    std::vector<AllocatorRecord> allocators; // by memory snapshots
    std::optional<PastRun> past; // its GPUs against their earlier runs; absent: too few
    std::shared_ptr<const StepReplay> replay; // nullptr without a step graph

    [[nodiscard]] double tracedS() const; // summed over the devices
    // Names the stretch that the numbers are of, for people.
    [[nodiscard]] std::string scope() const { return capture.empty() ? "the run" : capture; }
};

// The facts of a run or of a capture, read from the store. Cancelled by progress.
Result<RunFacts> collectFacts(const RunStudy& study, const FindingsOptions& options = {});
// Those of the run, which a study collects once.
Result<RunFacts> factsOf(const RunStudy& study);

} // namespace trainscope::analysis
