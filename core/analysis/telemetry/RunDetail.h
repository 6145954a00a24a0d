#pragma once
// What `trainscope-cli summary --detail` adds to a run: iterations, throttling, airflow, settling,
// bursts, spectrum and thermal time constants, by design section 5. SI; what the data cannot give
// is absent.

#include "core/analysis/telemetry/AirflowGradient.h"
#include "core/analysis/telemetry/Burst.h"
#include "core/analysis/telemetry/PowerSpectrum.h"
#include "core/analysis/telemetry/ThermalFit.h"
#include "core/analysis/telemetry/ThrottleDetector.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

struct RankEpisode {
    int rank = 0;
    ThrottleEpisode episode;
};

struct Throttling {
    double referenceClockHz = 0.0; // 95th percentile over all GPUs, weighted by time
    double fraction = 0.0; // throttled GPU-seconds / all GPU-seconds of the run
    double lostGpuSeconds = 0.0; // against the reference clock, summed over the GPUs
    std::vector<RankEpisode> episodes; // by time, then rank
};

struct GpuDetail {
    std::optional<double> throttleFraction; // of the run's duration
    std::optional<ThermalFit> thermal;
};

struct RunDetail {
    std::vector<Iteration> iterations;
    std::optional<Throttling> throttling; // needs sm_clock and gpu_utilization
    std::optional<AirflowGradient> gradient;
    std::optional<TimeNs> settledFrom; // when the last GPU's temperature has settled
    std::optional<Burst> burst; // of the summed gpu_power
    std::vector<SpectralLine> spectrum; // of the summed gpu_power
    std::map<int, GpuDetail> gpus; // by rank
};

// Limits of temperature and power are those of the run's GPU model (core/catalogue), where it is
// known. Cancelled by progress.
Result<RunDetail> detailOf(
    const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
