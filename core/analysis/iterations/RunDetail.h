#pragma once
// Detail of a run that `trainscope-cli summary --detail` adds: iterations with their telemetry,
// throttling, airflow, settling, bursts, spectrum, thermal time constants and sensors. SI; absent
// where the data does not tell it.

#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/Airflow.h"
#include "core/analysis/telemetry/Burstiness.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/Temperature.h"
#include "core/analysis/telemetry/Throttling.h"

namespace trainscope::analysis {

struct DetailQuery {
    // The window of iterations, throttling, airflow, bursts and spectrum; settling and thermal
    // constants are those of the whole run.
    TimeRange window = kAllTime;
    std::optional<double> powerLimitW = {}; // for excursions; absent: the sum of the boards' limits
    bool energyPerGpu = false; // energy of each iteration, by GPU
    // Parts that take long, for those who show them.
    bool withIterations = true; // their figures
    bool withSettling = true; // thermal constants, when temperatures settled, and the figures since
};

struct GpuDetail {
    std::optional<double> throttleFraction; // over the window
    std::optional<ThermalFit> thermal;
};

// Time and number of excursions of the summed power above a limit.
struct LimitExcursions {
    double limitW = 0.0;
    std::string origin; // "given", "recorded", "catalogue", "inferred"
    Excursions excursions;
};

struct RunDetail {
    RunIterations iterations; // in the whole run
    std::vector<IterationFigures> iterationFigures; // by iteration in the window
    std::optional<Throttling> throttling; // needs sm_clock and gpu_utilization
    std::optional<AirflowGradient> gradient;
    Airflow airflow; // as said for the run, else inferred, else assumed
    std::optional<TimeNs> settledFrom; // the last GPU's temperature has settled then
    // From then to the end: power, temperatures and clock, to be set beside those of the run.
    std::optional<RunSummary> settled;
    std::optional<Burst> burst; // bursts of the summed gpu_power
    std::string whyNoBurst; // sentence: power was recorded, but hardly at the same time
    std::optional<LimitExcursions> aboveLimit; // excursions of the same
    std::vector<SpectralLine> spectrum; // lines in the same, tied to the iterations' frequency
    std::map<int, GpuDetail> gpus; // by rank
    std::vector<Sensor> sensors;

    // The sensor behind gpu_power, which limits peaks, ramps and short iterations; nullptr: none.
    [[nodiscard]] const Sensor* powerSensor() const;
};

// iterations: as iterationsOf() found them. Limits of temperature are those of the run's GPU model
// (core/catalogue), where it is known. Cancelled by progress.
Result<RunDetail> detailOf(
    const RunStudy& study, const RunIterations& iterations, const DetailQuery& query = {});

} // namespace trainscope::analysis
