#pragma once
// Tables with a row per run (or source), for report and command line. Pure; any thread.

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/Phase.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/text/Table.h"

namespace trainscope::report {

// Results of runs, beside the runs' names.
template <typename T>
using ByRun = std::vector<std::pair<std::string, T>>;

text::Table runTable(const std::vector<Run>& runs, TimeNs now);
// Power, heat, clocks and energy of what stands in the first columns: of runs, or of GPUs.
text::Table telemetryTable(std::string title, std::vector<text::Column> columns);
// nullptr: that metric was not recorded.
using FindStatistics = std::function<const analysis::SubjectStatistics*(const std::string& metric)>;
void addTelemetry(text::Table& table, std::vector<text::Cell> cells, const FindStatistics& find,
    const std::optional<analysis::Energy>& energy);
// Notes: where FLOP come from, what is implausible, and why something is not known; each once, with
// how many runs it holds for.
text::Table efficiencyTable(const ByRun<analysis::Efficiency>& runs);
// Absent: clocks or utilisation were not recorded. Notes: what could not be told.
text::Table throttlingTable(const ByRun<std::optional<analysis::Throttling>>& runs);

// Each reason once, with how many runs it holds for, as notes.
void addReasons(const std::map<std::string, int>& reasons, text::Table& table);

text::Table sourceTable(const std::vector<store::Source>& sources);
// "charllm: 1234 rows, 2 skipped, 1230 samples, 12 missing, 3 counter falls, 1 gaps".
std::string readText(const ImportReport& report);

// Parts of a traced window, and their titles in tables.
struct TracedTime {
    const char* title;
    DurationNs analysis::TimeBreakdown::*time;
};
inline constexpr std::array<TracedTime, 7> kTracedTimes{
    {{"busy", &analysis::TimeBreakdown::busy}, {"compute", &analysis::TimeBreakdown::compute},
        {"communication", &analysis::TimeBreakdown::communication},
        {"exposed communication", &analysis::TimeBreakdown::exposedCommunication},
        {"overlap", &analysis::TimeBreakdown::overlap}, {"copy", &analysis::TimeBreakdown::copy},
        {"idle", &analysis::TimeBreakdown::idle}}};
// Absent where the whole is nothing.
std::optional<double> shareOf(DurationNs part, DurationNs whole);

// "12.07 kJ (11.6 to 12.5)", with the 90 % interval; else why it is not known.
std::string energyText(const analysis::PartEnergy& energy);

// The tables of a report, with what they are read from.
// Statistics over the steady part of each run; notes say which.
Result<text::Table> summaryTable(const analysis::RunStudies& studies, const std::vector<Run>& runs);
Result<text::Table> readEfficiency(
    const analysis::RunStudies& studies, const std::vector<Run>& runs);
Result<text::Table> readThrottling(
    const analysis::RunStudies& studies, const std::vector<Run>& runs);
// Without rows where of no run power and limit are known.
Result<text::Table> readAboveLimit(
    const analysis::RunStudies& studies, const std::vector<Run>& runs);
// Without rows where no run carries traces.
Result<text::Table> traceTable(const analysis::RunStudies& studies, const std::vector<Run>& runs);
// Energy of runs that have traces and power at the same time.
Result<text::Table> energyTable(const analysis::RunStudies& studies, const std::vector<Run>& runs);
struct ReadSources {
    text::Table table; // only the first ones of many, with a note
    std::size_t count = 0; // all of them
    std::vector<std::string> hashes; // all that are known
};
// Sources of those runs.
Result<ReadSources> readSources(const store::Store& store, const std::vector<Run>& runs);

// Tables of the memory that PyTorch's allocator held (core/analysis/machine/RunMemory.h), for
// window: devices, memory alive at the peak, allocations of iterations. With several devices
// each row names its own. Pure; any thread.

struct RunMemory {
    std::string run;
    TimeNs start; // start of the run
    std::vector<analysis::DeviceMemory> devices;
};

// The most allocated, with what was reserved then and the predicted need; the sentences of requests
// that could not be served below.
text::Table memoryDevicesTable(std::span<const RunMemory> runs);
// At the most allocated: bytes by use, their share, beside the predicted need of that use.
text::Table memoryUsesTable(std::span<const RunMemory> runs);
// The same allocations by size and the calls that made them, most bytes first.
text::Table memoryLiveTable(std::span<const RunMemory> runs);
// A row of each iteration: allocations, bytes allocated, most at a time.
text::Table memoryStepsTable(std::span<const RunMemory> runs);

} // namespace trainscope::report
