// The longest span of a row of a selection.
#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/model/Try.h"

#include <unordered_map>

namespace trainscope::analysis {

Result<std::optional<store::FoundSpan>> longestSpan(const RunStudy& study, const RankWindow& window,
    SpanGroup group, const std::string& name, const KernelCategories& categories) {
    const bool isOperator = group == SpanGroup::OperatorName;
    const SpanKind kind = isOperator ? SpanKind::CpuOp : SpanKind::Kernel;
    const TrackKind place = isOperator ? TrackKind::Thread : TrackKind::Stream;
    KernelNames names(study.store, categories);
    std::unordered_map<NameId, bool> isNamed;
    const auto isWanted = [&](const Span& span) -> Result<bool> {
        if (span.kind != kind)
            return false;
        if (group == SpanGroup::KernelCategory) {
            ASSIGN_OR_RETURN(const auto kernel, names.kernel(span.name));
            ASSIGN_OR_RETURN(const auto category, names.category(*kernel, span));
            return *category == name;
        }
        const auto known = isNamed.find(span.name);
        if (known != isNamed.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto text, study.store.name(span.name));
        return isNamed[span.name] = text == name;
    };
    std::optional<store::FoundSpan> longest;
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    for (const Track& track : tracks) {
        const TimeRange shown = window(track.description.rank);
        if (track.description.kind != place || !shown.overlaps(track.range))
            continue;
        const auto take = [&](std::size_t, const Span& span) -> Status {
            if (longest && span.duration <= longest->span.duration)
                return {};
            ASSIGN_OR_RETURN(const bool wanted, isWanted(span));
            if (wanted)
                longest = store::FoundSpan{track.id, span};
            return {};
        };
        SpanMerge spans;
        spans.add(SpanCursor(study.store, track.id, shown));
        RETURN_IF_ERROR(spans.forEach(take, "Looking for the longest", study.progress));
    }
    return longest;
}

} // namespace trainscope::analysis
