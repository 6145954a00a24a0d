#include "core/analysis/traces/CollectivePeers.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/traces/CollectiveKind.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace trainscope::analysis {

namespace {

// Parts of one collective are under way together, but a rank may wait long for the last.
constexpr std::array<DurationNs, 3> kReaches{{{5'000'000}, {1'000'000'000}, {30'000'000'000}}};

RankClocks clocksAsRecorded(const std::set<int>& ranks) {
    RankClocks clocks;
    for (const int rank : ranks) {
        RankClock clock;
        clock.rank = rank;
        clocks.ranks.push_back(clock);
    }
    return clocks;
}

// The one of which the call is a part, without its group; asked for more and more of the time
// around it. Absent where no part of another rank was found.
Result<std::optional<Collective>> collectiveOf(const RunStudy& study, const CollectiveRank& call,
    CollectiveKind kind, const RankClocks& clocks) {
    std::optional<Collective> found;
    const auto visit = [&](const Collective& one) {
        const bool isIt = std::ranges::any_of(one.ranks, [&call](const CollectiveRank& part) {
            return part.rank == call.rank && part.start == call.start && part.end == call.end;
        });
        if (!isIt)
            return true;
        found = one;
        found->group = nullptr;
        return false;
    };
    // Messages without numbers go in order, which a short look does not see.
    const std::size_t first = kind == CollectiveKind::SendRecv ? 1 : 0;
    for (std::size_t i = first; i < kReaches.size() && !(found && found->isComplete); ++i) {
        const TimeRange around{call.start - kReaches[i], call.end + kReaches[i]};
        ASSIGN_OR_RETURN(
            const auto scan, forEachCollective(study, clocks, visit, true, kAllTime, around));
        static_cast<void>(scan);
    }
    return found;
}

} // namespace

Result<std::optional<CollectivePeers>> collectivePeers(
    const RunStudy& study, int rank, const Span& span, const RankClocks* clocks) {
    const std::optional<CollectivePeers> none;
    ASSIGN_OR_RETURN(const auto name, study.store.name(span.name));
    if (span.kind != SpanKind::Kernel || !KernelCategories::isCommunication(name))
        return none;
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::set<int> traced;
    for (const Track& track : tracks) {
        if (track.description.kind == TrackKind::Stream)
            traced.insert(track.description.rank);
    }
    ASSIGN_OR_RETURN(const auto detail, collectiveDetail(study.store, span.detail));
    const TracedCommunicator group
        = communicatorFrom(detail, std::max(study.run.worldSize, study.run.gpuCount));
    const RankClocks used = clocks != nullptr ? *clocks : clocksAsRecorded(traced);
    const RankClock* const own = used.find(rank);
    const TimeNs start = own == nullptr ? span.start : own->onReference(span.start);
    const CollectiveRank call{rank, start, start + span.duration, {}};
    const bool hasPeers
        = own != nullptr && std::ranges::any_of(used.ranks, [&](const RankClock& other) {
              return other.rank != rank && group.mayHold(other.rank);
          });
    CollectivePeers result{{call}, {}, rank, {}};
    if (hasPeers) {
        ASSIGN_OR_RETURN(
            auto found, collectiveOf(study, call, collectiveKind(name, detail.collective), used));
        if (found)
            result = {
                std::move(found->ranks), {}, found->lastRank, found->lastStart - found->firstStart};
    }
    for (const int member : group.ranks) {
        const bool isThere = std::ranges::any_of(
            result.ranks, [member](const CollectiveRank& part) { return part.rank == member; });
        if (!isThere)
            result.missingRanks.push_back(member);
    }
    return std::optional(std::move(result));
}

} // namespace trainscope::analysis
