#pragma once
// Telemetry of a run that nobody made: what sensors would show while ranks repeat a step. Power,
// clock and temperature follow from each other at every sample: the clock keeps the limits at the
// temperature of that moment, the nodes' air and chips follow the power (ThermalNetwork.h).
// Pure; any thread.

#include "core/layout/Cluster.h"
#include "core/model/Import.h"
#include "core/predict/power/PowerModel.h"
#include "core/predict/power/ThermalNetwork.h"

namespace trainscope::predict {

// s since the step's begin, as it is played: what a limit costs is in it.
struct ActivitySegment {
    double begin = 0.0;
    double end = 0.0;
    Activity activity = Activity::Gemm;
    double intensity = 1.0; // see ActivityTime
    // Share of its time. Activities that alternate faster than the limiter looks have one span, and
    // a share each.
    double share = 1.0;
};

struct PredictedRank {
    int rank = 0;
    // In order, the same spans or without overlap; holes and what no share takes are waits.
    std::vector<ActivitySegment> step;
    double memoryBytes = 0.0;
};

// Steps that follow each other, and how sensors record them.
struct PlayedSteps {
    int steps = 1;
    double restSeconds = 0.0; // before the first step, without work
    double periodSeconds = 0.1; // between samples
    double sensorSeconds = 0.1; // power and utilisation are averaged over it
    // Readings as NVML gives them: whole degrees, mW, steps of 15 MHz, whole per cent.
    bool isRounded = true;
};

struct TelemetryRequest : PlayedSteps {
    GpuPower gpu;
    layout::Cluster cluster; // says each rank's place in the air; ranks that it lacks are left out
    NodeAir air;
    std::vector<PredictedRank> ranks;
    double stepSeconds = 1.0;
    std::optional<double> limitW; // absent: not lowered
    std::optional<double> clockHz; // absent: not locked
    // From the temperatures that the run settles at, as where only a part of it is shown; else
    // from those of idle GPUs.
    bool startsSettled = false;
};

struct GpuSamples {
    int rank = 0;
    std::vector<double> watts;
    std::vector<double> celsius;
    std::vector<double> clockHz;
    std::vector<double> utilization; // 0 to 1: the share of time in which kernels run
    double memoryBytes = 0.0;
    double joules = 0.0; // the power itself, until one period behind the last sample
};

struct PredictedTelemetry {
    double periodSeconds = 0.1; // sample i stands at i times this
    std::vector<GpuSamples> gpus; // by rank
};

// Usage where the step, the period or the number of steps is not positive, or there would be more
// than 10⁸ samples. Cancelled by progress.
Result<PredictedTelemetry> predictTelemetry(
    const TelemetryRequest& request, const Progress& progress = {});

// As series gpu_power, gpu_temperature, sm_clock, gpu_utilization and mem_used of the run. Counts
// go to the report.
Status writeTelemetry(
    const PredictedTelemetry& telemetry, TimeNs start, RunId run, Sink& sink, ImportReport& report);

} // namespace trainscope::predict
