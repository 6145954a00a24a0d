#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TraceClock.h"

#include <fmt/format.h>

#include <algorithm>
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

} // namespace

Result<LaneData> loadSpanLane(const LaneRequest& request, const LaneSpec& spec) {
    LaneData lane;
    lane.spec = spec;
    const auto tracks = selectTracks(request.catalogue, spec);
    setTexts(lane, tracks);
    const bool severalDevices = hasSeveralDevices(tracks);
    const DurationNs pixel{request.window.length().ns / std::max(request.columns, 1)};
    for (const auto& selected : tracks) {
        if (request.isCancelled && request.isCancelled())
            return cancelled();
        const ShownRun& run = request.runs[selected.run];
        const int rank = selected.track->description.rank;
        const TimeRange window = ownRange(
            run, rank, {run.origin + request.window.begin, run.origin + request.window.end});
        ASSIGN_OR_RETURN(auto groups, request.store.lodNodes(selected.track->id, window, pixel));
        if (run.clocks) {
            for (store::LodNode& group : groups)
                group.range = shownRange(run, rank, group.range);
        }
        const auto& description = selected.track->description;
        lane.spans.push_back({selected.run, description.rank, selected.track->id,
            trackLabel(description, severalDevices), std::max(selected.track->depth, 1),
            std::move(groups)});
    }
    return lane;
}

} // namespace trainscope::figures
