#include "core/analysis/iterations/NamedPhases.h"

#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

Result<std::vector<NamedPhase>> namedPhasesOf(
    const store::Store& store, const std::vector<Track>& tracks) {
    std::vector<std::pair<NameId, TimeRange>> found;
    for (const Track& track : tracks) {
        if (!isPhaseTrack(track.description) || track.count == 0)
            continue;
        RETURN_IF_ERROR(
            store.forEachSpan(track.id, kAllTime, [&found](std::span<const Span> spans) {
                for (const Span& span : spans)
                    found.emplace_back(
                        span.name, TimeRange{span.start, span.start + span.duration});
                return true;
            }));
    }
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.second.begin; });
    std::vector<NamedPhase> phases;
    for (const auto& [name, range] : found) {
        ASSIGN_OR_RETURN(auto text, store.name(name));
        phases.push_back({std::move(text), range});
    }
    return phases;
}

} // namespace trainscope::analysis
