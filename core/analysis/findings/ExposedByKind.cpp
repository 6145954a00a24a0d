#include "core/analysis/findings/ExposedByKind.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace trainscope::analysis {

Status ExposedByKind::piece(TimeRange range, std::span<const ActiveKernel> running) {
    const bool computes = std::any_of(running.begin(), running.end(),
        [](const ActiveKernel& kernel) { return !kernel.isCommunication; });
    if (computes)
        return {};
    std::set<std::string_view> kinds;
    for (const ActiveKernel& kernel : running) {
        if (kernel.category != nullptr && kinds.insert(*kernel.category).second) {
            DurationNs& time = m_times[*kernel.category];
            time = time + range.length();
        }
    }
    return {};
}

} // namespace trainscope::analysis
