#include "core/analysis/traces/CollectivePeers.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

namespace {

using Parts = std::vector<CollectivePeer>;

// Finds the kernels of one name and process group, rank by rank.
class PartFinder {
public:
    PartFinder(const store::Store& store, const Span& asked)
        : m_store(store)
        , m_asked(asked) { }

    Result<CollectiveDetail> detail(NameId id) {
        if (const auto found = m_details.find(id); found != m_details.end())
            return found->second;
        ASSIGN_OR_RETURN(const auto read, collectiveDetail(m_store, id));
        return m_details.emplace(id, read).first->second;
    }

    Status collect(const Track& track, const CollectiveDetail& wanted, Parts& parts) {
        Status failure;
        const auto status = m_store.forEachSpanNamed(
            track.id, m_asked.name, [&](std::span<const Span> spans) {
                for (const Span& span : spans) {
                    if (span.kind != SpanKind::Kernel)
                        continue;
                    const auto found = detail(span.detail);
                    if (!found.hasValue()) {
                        failure = found.error();
                        return false;
                    }
                    if (found.value().group == wanted.group && found.value().ranks == wanted.ranks)
                        parts.push_back({track.description.rank, track.id, span});
                }
                return true;
            });
        return failure.hasValue() ? status : failure;
    }

private:
    const store::Store& m_store;
    const Span& m_asked;
    std::unordered_map<NameId, CollectiveDetail> m_details;
};

std::size_t ordinalOf(const Parts& parts, TrackId track, const Span& span) {
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const CollectivePeer& part) {
        return part.track == track && part.span.start == span.start
            && part.span.correlation == span.correlation;
    });
    return static_cast<std::size_t>(found - parts.begin());
}

const CollectivePeer& nearestByEnd(const Parts& parts, const Span& span) {
    const auto away = [end = span.start + span.duration](const CollectivePeer& part) {
        const TimeNs own = part.span.start + part.span.duration;
        return std::max(own, end) - std::min(own, end);
    };
    return *std::min_element(parts.begin(), parts.end(),
        [away](const CollectivePeer& a, const CollectivePeer& b) { return away(a) < away(b); });
}

void describeLateness(CollectivePeers& result) {
    const auto [first, last] = std::minmax_element(result.peers.begin(), result.peers.end(),
        [](const CollectivePeer& a, const CollectivePeer& b) {
            return a.span.start < b.span.start;
        });
    result.lastRank = last->rank;
    result.startSpread = last->span.start - first->span.start;
}

// The peers among each rank's parts, all sorted by start.
void pickPeers(const std::map<int, Parts>& byRank, int rank, TrackId track, const Span& span,
    CollectivePeers& result) {
    const Parts& own = byRank.at(rank);
    const std::size_t ordinal = ordinalOf(own, track, span);
    for (const auto& [other, parts] : byRank) {
        if (other == rank)
            result.peers.push_back({rank, track, span});
        else if (parts.size() == own.size() && ordinal < parts.size())
            result.peers.push_back(parts[ordinal]);
        else if (!parts.empty())
            result.peers.push_back(nearestByEnd(parts, span));
    }
    for (const int member : result.groupRanks) {
        const bool isThere = std::any_of(result.peers.begin(), result.peers.end(),
            [member](const CollectivePeer& peer) { return peer.rank == member; });
        if (!isThere)
            result.missingRanks.push_back(member);
    }
}

// The parts of the group's ranks, and those of the stream that was asked about.
Result<std::map<int, Parts>> partsByRank(PartFinder& finder, const CollectiveDetail& wanted,
    const std::vector<Track>& tracks, TrackId asked) {
    std::map<int, Parts> byRank;
    const auto& ranks = wanted.ranks;
    for (const Track& track : tracks) {
        const int rank = track.description.rank;
        const bool isWanted = track.id == asked || ranks.empty()
            || std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
        if (track.description.kind != TrackKind::Stream || !isWanted)
            continue;
        RETURN_IF_ERROR(finder.collect(track, wanted, byRank[rank]));
    }
    return byRank;
}

void sortByStart(std::map<int, Parts>& byRank) {
    for (auto& [rank, parts] : byRank)
        std::stable_sort(
            parts.begin(), parts.end(), [](const CollectivePeer& a, const CollectivePeer& b) {
                return a.span.start < b.span.start;
            });
}

} // namespace

Result<std::optional<CollectivePeers>> collectivePeers(const store::Store& store, const Run& run,
    TrackId track, const Span& asked, const OnOneClock& onOneClock) {
    Span span = asked;
    const std::optional<CollectivePeers> none;
    ASSIGN_OR_RETURN(const auto name, store.name(span.name));
    if (span.kind != SpanKind::Kernel || !KernelCategories::isCommunication(name))
        return none;
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    PartFinder finder(store, asked);
    ASSIGN_OR_RETURN(const auto wanted, finder.detail(span.detail));
    ASSIGN_OR_RETURN(auto found, partsByRank(finder, wanted, tracks, track));
    auto& byRank = found;
    const auto own = std::find_if(
        tracks.begin(), tracks.end(), [track](const Track& one) { return one.id == track; });
    if (own == tracks.end() || !byRank.contains(own->description.rank))
        return Error{
            ErrorCode::NotFound, "The span's track is not a stream of this run.", run.name};
    const int rank = own->description.rank;
    if (onOneClock) {
        span.start = onOneClock(rank, span.start);
        for (auto& [of, parts] : byRank) {
            for (CollectivePeer& part : parts)
                part.span.start = onOneClock(of, part.span.start);
        }
    }
    sortByStart(byRank);
    CollectivePeers result{name, wanted.collective, wanted.group, wanted.ranks, {}, {}, -1, {}};
    pickPeers(byRank, rank, track, span, result);
    describeLateness(result);
    return std::optional(std::move(result));
}

} // namespace trainscope::analysis
