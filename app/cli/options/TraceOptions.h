#pragma once
// The way that traces of a run are read: the part of it, --from and --to in seconds since its start
// or --capture; the table that sorts its kernels; and sums where the database lacks them.

#include "app/cli/commands/Command.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::cli {

struct WindowOptions {
    std::optional<double> fromS; // since the run's start
    std::optional<double> toS;
    std::string capture; // empty: none

    [[nodiscard]] bool isGiven() const { return fromS || toS || !capture.empty(); }
};

void addWindow(CLI::App& command, WindowOptions& options);
// --capture alone.
void addCapture(CLI::App& command, std::string& capture);

// Open at a side that is not given. Usage where it is empty or lies beside the run.
Result<TimeRange> givenWindow(const WindowOptions& options, const Run& run);

// The same on the clock of each rank. If the ranks' clocks differ, the given times are meant on
// that of the reference rank, as the timeline shows it.
struct RankWindows {
    TimeRange window = kAllTime; // as it is given
    bool isOpenAtBegin = true; // on every clock
    bool isOpenAtEnd = true;
    analysis::RankClocksPtr clocks;
    std::optional<analysis::CaptureWindows> capture; // the one asked for; absent: none

    [[nodiscard]] TimeRange of(int rank) const;
    // For people: "the capture 'eager-16'", "1.5 s to 2 s of the run, as far as it was traced".
    [[nodiscard]] std::string wording(const Run& run) const;
    // Note on the windows; empty: none.
    [[nodiscard]] std::string note() const;
};
Result<RankWindows> givenWindows(const WindowOptions& options, const store::Store& store,
    const Run& run, const Progress& progress);

// The option that chooses the table of kernel categories.
void addCategories(CLI::App& command, std::string& choice);
// The table that the option names; without one the user's in the configuration folder, else the
// built-in one.
Result<analysis::KernelCategories> chosenCategories(const std::string& choice);

// Sums over the traces of a database that lacks them, as older ones and those whose import was
// stopped do. Computed once, before anything is read, since whoever reads keeps others from
// writing. If they cannot be stored, a message says so, and the traces are read instead.
enum class NeededSums { CallTrees, All };
Status keepMissingSums(const OneRunOptions& options, NeededSums needed, const Console& console,
    const Progress& progress);

} // namespace trainscope::cli
