#pragma once
// The tables of a report, a row per run.

#include "core/report/Report.h"

#include <vector>

namespace trainscope::report {

Table runTable(const std::vector<Run>& runs);
// Statistics over the steady part of each run; notes say which.
Result<Table> summaryTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
Result<Table> efficiencyTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
Result<Table> throttlingTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
// Without rows where no run carries traces.
Result<Table> traceTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
// Of runs that have traces and power at the same time.
Result<Table> energyTable(
    const store::Store& store, const std::vector<Run>& runs, const Progress& progress);
Result<Table> sourceTable(
    const store::Store& store, const std::vector<Run>& runs, std::vector<std::string>& hashes);

} // namespace trainscope::report
