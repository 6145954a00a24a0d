#pragma once
// --from and --to: a part of a run, in seconds since its start.

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

} // namespace trainscope::cli
