#pragma once
// The tables of a report, a row per run, with what they are read from; RunTables.h builds them.

#include "core/analysis/RunStudy.h"
#include "core/report/Report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace trainscope::report {

// Statistics over the steady part of each run; notes say which.
Result<Table> summaryTable(const analysis::RunStudies& studies, const std::vector<Run>& runs);
Result<Table> readEfficiency(const analysis::RunStudies& studies, const std::vector<Run>& runs);
Result<Table> readThrottling(const analysis::RunStudies& studies, const std::vector<Run>& runs);
// Without rows where of no run power and limit are known.
Result<Table> readAboveLimit(const analysis::RunStudies& studies, const std::vector<Run>& runs);
// Without rows where no run carries traces.
Result<Table> traceTable(const analysis::RunStudies& studies, const std::vector<Run>& runs);
// Energy of runs that have traces and power at the same time.
Result<Table> energyTable(const analysis::RunStudies& studies, const std::vector<Run>& runs);
struct ReadSources {
    Table table; // only the first ones of many, with a note
    std::size_t count = 0; // all of them
    std::vector<std::string> hashes; // all that are known
};
// Sources of those runs.
Result<ReadSources> readSources(const store::Store& store, const std::vector<Run>& runs);

} // namespace trainscope::report
