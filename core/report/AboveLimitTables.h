#pragma once
// Tables of the time above the power limit: a sentence, a row per run, and the kernels that ran
// then. Pure; any thread.

#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/report/SelectionTables.h"
#include "core/text/Table.h"

#include <string>
#include <utility>
#include <vector>

namespace trainscope::report {

// "the limit of its model", "its recorded limit".
std::string limitSourceText(const std::string& source);
// "15.9 s above 700 W (its model's limit), 10.4 % of the time, highest 889 W".
std::string aboveLimitText(const analysis::LimitShare& share);

// By run; those without power or limit have a note.
text::Table aboveLimitTable(
    const std::vector<std::pair<std::string, std::optional<analysis::LimitShare>>>& runs);

enum class RankedBy { Energy, Time };
// Kernels of all devices of each run together; a row's run is its place in the list.
SourcedTable kernelsAboveLimitTable(
    const std::vector<std::vector<analysis::DeviceAboveLimit>>& runs, RankedBy by);

} // namespace trainscope::report
