#pragma once
// Inputs of the rules: the analyses of one run, each made once.

#include "core/analysis/RunStudy.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/findings/Findings.h"
#include "core/analysis/findings/OperatorFacts.h"
#include "core/analysis/findings/Plausibility.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/machine/AllocatorMemory.h"
#include "core/analysis/replay/StepReplay.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/Burstiness.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/Temperature.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/FlightRecord.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/WaitCauses.h"
#include "core/model/Import.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

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
