#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/SpanMix.h"
#include "core/plot/timeline/TraceClock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace trainscope::figures {

using namespace plot;

namespace {

std::string trackLabel(const TrackDescription& track, bool severalDevices) {
    const std::string name = track.name.empty() ? "track " + track.thread : track.name;
    if (track.rank < 0)
        return name;
    if (severalDevices && track.device >= 0)
        return fmt::format("rank {} · device {} · {}", track.rank, track.device, name);
    return fmt::format("rank {} · {}", track.rank, name);
}

bool hasSeveralDevices(const std::vector<SelectedTrack>& tracks) {
    std::set<std::pair<int, int>> devices;
    std::set<int> ranks;
    for (const auto& selected : tracks) {
        devices.insert({selected.track->description.rank, selected.track->description.device});
        ranks.insert(selected.track->description.rank);
    }
    return devices.size() > ranks.size();
}

std::size_t rankCount(const std::vector<SelectedTrack>& tracks) {
    std::set<std::pair<std::size_t, int>> ranks;
    for (const auto& selected : tracks)
        ranks.insert({selected.run, selected.track->description.rank});
    return ranks.size();
}

// Captures of a rank each have their part of a stream or thread; it counts once.
std::size_t countOnce(const std::vector<SelectedTrack>& tracks) {
    std::set<std::tuple<std::size_t, int, int, std::string>> different;
    for (const auto& selected : tracks) {
        const auto& description = selected.track->description;
        different.emplace(selected.run, description.rank, description.device, description.name);
    }
    return different.size();
}

void setTexts(LaneData& lane, const std::vector<SelectedTrack>& tracks) {
    const bool threads = lane.spec.style == LaneStyle::Thread;
    lane.title = threads ? "Host threads" : "Kernels";
    if (lane.spec.rank)
        lane.title += fmt::format(" · rank {}", *lane.spec.rank);
    if (tracks.empty()) {
        lane.subtitle = "no trace of these runs";
        return;
    }
    const std::size_t ranks = rankCount(tracks);
    const std::size_t count = countOnce(tracks);
    lane.subtitle = threads ? fmt::format("{} thread{}", count, count == 1 ? "" : "s")
                            : fmt::format("{} rank{}, {} stream{}", ranks, ranks == 1 ? "" : "s",
                                count, count == 1 ? "" : "s");
}

constexpr double kMostSpans = 500'000.0; // read one by one for the mixes of a lane
constexpr double kMostParts = 2'000'000.0; // parts of its groups, if it has more spans

// Narrower groups than a pixel's, from which the mix of a pixel's is told: single spans where these
// are few enough to be read. Absent: the mixes would cost too much.
std::optional<DurationNs> partWidth(const LaneRequest& request,
    const std::vector<SelectedTrack>& tracks, DurationNs pixel, LaneStyle style) {
    if (style != LaneStyle::Kernels)
        return std::nullopt;
    double spans = 0.0;
    for (const auto& selected : tracks) {
        const TimeNs origin = request.runs[selected.run].origin;
        const TimeRange& whole = selected.track->range;
        const std::int64_t seen = (std::min(whole.end, origin + request.window.end)
            - std::max(whole.begin, origin + request.window.begin))
                                      .ns;
        const auto length = static_cast<double>(std::max<std::int64_t>(whole.length().ns, 1));
        spans += static_cast<double>(selected.track->count)
            * std::clamp(static_cast<double>(seen) / length, 0.0, 1.0);
    }
    if (spans <= kMostSpans)
        return DurationNs{0};
    const double groups
        = static_cast<double>(tracks.size()) * static_cast<double>(std::max(request.columns, 1));
    const auto parts = static_cast<std::int64_t>(std::min(kMostParts / groups, 16.0));
    return parts < 2 ? std::nullopt : std::optional(DurationNs{pixel.ns / parts});
}

bool mergesAny(const std::vector<store::LodNode>& groups) {
    return std::ranges::any_of(groups, [](const store::LodNode& group) { return group.count > 1; });
}

} // namespace

Result<LaneData> loadSpanLane(const LaneRequest& request, const LaneSpec& spec) {
    LaneData lane;
    lane.spec = spec;
    const auto tracks = selectTracks(request.catalogue, spec);
    setTexts(lane, tracks);
    const bool severalDevices = hasSeveralDevices(tracks);
    const DurationNs pixel{request.window.length().ns / std::max(request.columns, 1)};
    const auto width = partWidth(request, tracks, pixel, spec.style);
    for (const auto& selected : tracks) {
        if (request.isCancelled && request.isCancelled())
            return cancelled();
        const ShownRun& run = request.runs[selected.run];
        const int rank = selected.track->description.rank;
        const TimeRange window = ownRange(
            run, rank, {run.origin + request.window.begin, run.origin + request.window.end});
        ASSIGN_OR_RETURN(auto groups, request.store.lodNodes(selected.track->id, window, pixel));
        std::vector<SpanMix> mixes;
        if (width && mergesAny(groups)) {
            ASSIGN_OR_RETURN(
                const auto parts, request.store.lodNodes(selected.track->id, window, *width));
            mixes = mixesOf(groups, parts, pixel);
        }
        if (run.clocks) {
            for (store::LodNode& group : groups)
                group.range = shownRange(run, rank, group.range);
        }
        const auto& description = selected.track->description;
        lane.spans.push_back({selected.run, description.rank, selected.track->id,
            trackLabel(description, severalDevices), std::max(selected.track->depth, 1),
            std::move(groups), std::move(mixes)});
    }
    return lane;
}

} // namespace trainscope::figures
