#include "core/analysis/CollectiveDetail.h"
#include "core/analysis/layout/RunLayout.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace trainscope::analysis {

namespace {

using layout::ProcessGroup;

bool isOf(const store::Source& source, const Run& run) {
    return std::find(source.runs.begin(), source.runs.end(), run.id) != source.runs.end();
}

Result<std::set<ProcessGroup>> recorded(const store::Store& store, const Run& run) {
    const auto sources = store.sources();
    if (!sources.hasValue())
        return sources.error();
    std::set<ProcessGroup> groups;
    for (const store::Source& source : sources.value()) {
        const auto fact = source.report.facts.find(std::string(layout::kProcessGroupsFact));
        if (!isOf(source, run) || fact == source.report.facts.end())
            continue;
        for (auto& group : layout::processGroupsFromText(fact->second))
            groups.insert(std::move(group));
    }
    return groups;
}

// The groups of a track's collectives. All of them are used within a step or two, so the first
// spans tell.
Status collect(const store::Store& store, const Track& track,
    std::unordered_set<std::int64_t>& seen, std::set<ProcessGroup>& groups) {
    constexpr std::size_t kEnoughSpans = 200'000;
    std::size_t read = 0;
    Status failure;
    const auto status = store.forEachSpan(track.id, track.range, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (!span.detail.isValid() || !seen.insert(span.detail.value).second)
                continue;
            const auto text = store.name(span.detail);
            if (!text.hasValue()) {
                failure = text.error();
                return false;
            }
            auto detail = parseCollectiveDetail(text.value());
            std::sort(detail.ranks.begin(), detail.ranks.end());
            if (!detail.ranks.empty())
                groups.insert({detail.group, detail.description, std::move(detail.ranks)});
        }
        read += spans.size();
        return read < kEnoughSpans;
    });
    return failure.hasValue() ? status : failure;
}

} // namespace

Result<std::vector<ProcessGroup>> processGroupsOf(
    const store::Store& store, const Run& run, const Progress& progress) {
    auto groups = recorded(store, run);
    if (!groups.hasValue())
        return groups.error();
    if (!groups.value().empty())
        return std::vector<ProcessGroup>(groups.value().begin(), groups.value().end());
    const auto tracks = store.tracks(run.id);
    if (!tracks.hasValue())
        return tracks.error();
    std::unordered_set<std::int64_t> seen;
    for (const Track& track : tracks.value()) {
        if (track.description.kind != TrackKind::Stream)
            continue;
        if (progress && !progress({"Reading process groups", 0, 0}))
            return cancelled();
        if (const auto status = collect(store, track, seen, groups.value()); !status.hasValue())
            return status.error();
    }
    return std::vector<ProcessGroup>(groups.value().begin(), groups.value().end());
}

} // namespace trainscope::analysis
