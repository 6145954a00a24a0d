#include "app/cli/commands/Maintenance.h"

#include "app/cli/text/Quantity.h"
#include "core/store/Writing.h"

#include <algorithm>

namespace trainscope::cli {

Progress shownOn(ProgressLine& line, const Console& console) {
    return [&line, &console](const ProgressState& state) {
        line.update(state.phase, state.bytesDone, state.bytesTotal);
        return !console.isCancelled();
    };
}

std::string vacuumText(const store::VacuumOutcome& outcome) {
    const std::uint64_t less = outcome.before - std::min(outcome.before, outcome.after);
    const std::string size = "The database takes " + bytesText(static_cast<double>(outcome.after));
    return less == 0 ? size + ", as before."
                     : size + ", " + bytesText(static_cast<double>(less)) + " less than before.";
}

} // namespace trainscope::cli
