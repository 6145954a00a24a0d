#pragma once
// A run's figures as `summary` prints them, with parts that other commands print too: the summary
// and its details, energy of traced GPUs by use, time above the power limit, reports of imports.
// Keys of JSON that do not apply are absent.

#include "app/cli/text/Rows.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/iterations/RunDetail.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/report/SelectionTables.h"

namespace trainscope::cli {

// "from 2026-01-01 12:00:00 UTC for 8 s"; for a program as it may ask next: "from=52.4 to=60.4".
std::string stretchText(std::ostream& out, const Run& run, TimeRange range);

Json summaryJson(const analysis::RunSummary& summary);

// The window that the figures of that object are of.
void addWindow(Json& run, const analysis::SteadyState& steady);

// The report on a source, in `import --json` and `info --json`.
Json reportJson(const ImportReport& report);

// Into the object that summaryJson() made. Keys that the data cannot give are absent.
void addDetail(Json& run, const analysis::RunDetail& detail);

Json sensorsJson(const std::vector<analysis::Sensor>& sensors);

// summary: of the same run and window.
void printDetail(
    const analysis::RunSummary& summary, const analysis::RunDetail& detail, std::ostream& out);

// Into the object of the run; nothing where no GPU was traced. Joules, summed over the GPUs that
// have both trace and power; beside each map "energy_by_X" stand "energy_by_X_interval", the bounds
// of the 90 % intervals, and "energy_by_X_unknown", why one of that name is not known.
void addEnergy(Json& run, const analysis::EnergyByPhase& energy);

// "energy_j", "energy_low_j" and "energy_high_j", or why it is not known; in the text one column.
Row energyRow(const analysis::PartEnergy& energy);

void printEnergy(const analysis::EnergyByPhase& energy, std::ostream& out);

// {"limit_w","limit_source","seconds","share","highest_w","energy_j"}; seconds are GPU-seconds of
// several GPUs, the energy is what they drew in that time.
Json limitShareJson(const analysis::LimitShare& share);
// "above_limit" of a summary's run and of each of its GPUs.
void addAboveLimit(Json& summary, const std::vector<analysis::AboveLimit>& gpus);

Json aboveLimitJson(
    const Run& run, const std::vector<analysis::DeviceAboveLimit>& devices, report::RankedBy by);
void printAboveLimit(std::ostream& out, const Run& run,
    const std::vector<analysis::DeviceAboveLimit>& devices, report::RankedBy by);

} // namespace trainscope::cli
