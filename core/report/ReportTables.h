#pragma once
// The tables of a report, a row per run, with what they are read from; RunTables.h builds them.

#include "core/report/Report.h"

#include <vector>

namespace trainscope::report {

// Statistics over the steady part of each run; notes say which.
Result<Table> summaryTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
Result<Table> readEfficiency(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
Result<Table> readThrottling(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
// Without rows where no run carries traces.
Result<Table> traceTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
// Of runs that have traces and power at the same time.
Result<Table> energyTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
// Of those runs; also the hashes of all of them.
Result<Table> readSources(
    const store::Store& store, const std::vector<Run>& runs, std::vector<std::string>& hashes);

} // namespace trainscope::report
