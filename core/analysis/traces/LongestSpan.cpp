// The longest span of a row of a selection.
#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/model/Try.h"

#include <unordered_map>

namespace trainscope::analysis {

namespace {

// The longest of those spans that `isWanted(span) → Result<bool>`.
template <typename IsWanted>
Status findLongest(const store::Store& store, const Track& track, const TimeRange& window,
    std::optional<store::FoundSpan>& longest, IsWanted&& isWanted, const Progress& progress) {
    Status failure;
    const auto status = store.forEachSpan(track.id, window, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (longest && span.duration <= longest->span.duration)
                continue;
            const auto wanted = isWanted(span);
            if (!wanted.hasValue()) {
                failure = wanted.error();
                return false;
            }
            if (wanted.value())
                longest = store::FoundSpan{track.id, span};
        }
        if (progress && !progress({"Looking for the longest", 0, 0}))
            failure = cancelled();
        return failure.hasValue();
    });
    return failure.hasValue() ? status : failure;
}

} // namespace

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
        if (track.description.kind == place && shown.overlaps(track.range))
            RETURN_IF_ERROR(
                findLongest(study.store, track, shown, longest, isWanted, study.progress));
    }
    return longest;
}

} // namespace trainscope::analysis
