#pragma once
// Tables of kernels, for the window and the command line: of a selection over them
// (TraceSelection.h), and of the time above the power limit: a sentence, a row per run, and the
// kernels that ran then. With several runs each row says whose it is. Pure; any thread.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/KernelsAboveLimit.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/text/Table.h"

namespace trainscope::report {

// The origin of a row: the run's place, and the name or category as the trace has it.
struct RowSource {
    std::size_t run = 0;
    std::string name;
};

struct SourcedTable {
    text::Table table;
    std::vector<RowSource> sources; // as the rows
};

// Parts of the time of all GPUs of a run, summed, with their share of the windows.
text::Table deviceTimesTable(std::span<const analysis::TraceSelection> runs);
// A row for each GPU with the window and its parts; and the same as shares of the window.
text::Table gpuTimesTable(std::span<const analysis::TraceSelection> runs);
text::Table gpuSharesTable(std::span<const analysis::TraceSelection> runs);
// Over all GPUs: count, total, mean, share of the kernel time.
SourcedTable kernelNamesTable(std::span<const analysis::TraceSelection> runs);
SourcedTable kernelCategoriesTable(std::span<const analysis::TraceSelection> runs);
text::Table launchTable(std::span<const analysis::TraceSelection> runs);
SourcedTable operatorTable(std::span<const analysis::TraceSelection> runs);
text::Table callTable(std::span<const analysis::TraceSelection> runs);

// Energy of the phases, then of the kernels, each with its 90 % interval and its share of the
// whole; the place of a row's run is that in the list. Kernels whose energy is not told are left
// out, and a note says how many.
SourcedTable tracedEnergyTable(std::span<const analysis::EnergyByPhase> runs);

// All of these that have rows, with exact times per GPU.
std::vector<text::Table> selectionTables(std::span<const analysis::TraceSelection> runs);

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
