#include "app/cli/options/WindowOptions.h"

#include "app/cli/options/AddOption.h"

#include <cmath>
#include <cstdint>

namespace trainscope::cli {

namespace {

DurationNs sinceStart(double seconds) {
    return {static_cast<std::int64_t>(std::llround(seconds * 1e9))};
}

} // namespace

void addWindow(CLI::App& command, WindowOptions& options) {
    addOption(command, "--from", options.fromS,
        "Begin of the part looked at, since the run's start", "S");
    addOption(command, "--to", options.toS, "Its end, since the run's start", "S");
}

Result<TimeRange> givenWindow(const WindowOptions& options, const Run& run) {
    TimeRange window = run.range;
    if (options.fromS)
        window.begin = run.range.begin + sinceStart(*options.fromS);
    if (options.toS)
        window.end = run.range.begin + sinceStart(*options.toS);
    if (window.begin >= window.end || !window.overlaps(run.range))
        return Error{ErrorCode::Usage,
            "The window is empty: --from must lie before --to and before the run's end.", run.name};
    return window;
}

} // namespace trainscope::cli
