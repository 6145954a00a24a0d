#pragma once
// --from and --to: a part of a run, in seconds since its start.

#include "core/analysis/traces/RankWindow.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/model/Time.h"

#include <optional>

namespace CLI {
class App;
}

namespace trainscope::cli {

struct WindowOptions {
    std::optional<double> fromS; // since the run's start
    std::optional<double> toS;

    [[nodiscard]] bool isGiven() const { return fromS || toS; }
};

void addWindow(CLI::App& command, WindowOptions& options);

// Open at a side that is not given. Usage where it is empty or lies beside the run.
Result<TimeRange> givenWindow(const WindowOptions& options, const Run& run);

// The same on the clock of each rank. Where the clocks of the ranks differ, what is given is meant
// on that of the reference rank, as the timeline shows it.
struct RankWindows {
    TimeRange window = kAllTime; // as it is given
    bool isOpenAtBegin = true; // on every clock
    bool isOpenAtEnd = true;
    analysis::RankClocksPtr clocks;

    [[nodiscard]] TimeRange of(int rank) const;
    // What there is to say of it; empty: nothing.
    [[nodiscard]] std::string note() const;
};
Result<RankWindows> givenWindows(const WindowOptions& options, const store::Store& store,
    const Run& run, const Progress& progress);

} // namespace trainscope::cli
