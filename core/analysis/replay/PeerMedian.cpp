// A rank whose operations take what the same ones of its peers take in the median.

#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/Means.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

// The same operation on each rank: the n-th of a name, in an iteration, of a micro-batch.
struct SameOperation {
    std::uint32_t name;
    std::int32_t iteration;
    std::int32_t microBatch;
    OperationKind kind;
    std::uint32_t nth;
    auto operator<=>(const SameOperation&) const = default;
};

struct RankOperation {
    SameOperation same;
    int rank;
    std::uint32_t operation;
    auto operator<=>(const RankOperation&) const = default;
};

// Of the rank and its peers, which are those of its stage where stages are known; sorted, the same
// operations side by side.
std::vector<RankOperation> sameOperations(const StepGraph& graph, int rank, int stage) {
    std::map<std::tuple<int, std::uint32_t, std::int32_t, std::int32_t>, std::uint32_t> counts;
    std::vector<RankOperation> all;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const StepTrack& track = graph.tracks[operation.track];
        if (isTransferWork(operation) || (track.rank != rank && track.stage != stage))
            continue;
        const std::uint32_t nth
            = counts[{track.rank, operation.name, operation.iteration, operation.microBatch}]++;
        all.push_back(
            {{operation.name, operation.iteration, operation.microBatch, operation.kind, nth},
                track.rank, i});
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::int64_t* costAt(StepCosts& costs, bool isDelay, std::uint32_t operation) {
    return isDelay ? &costs.delay[operation] : &costs.duration[operation];
}

// The quartiles of the peers' bound the median.
void takeMedian(ChangeState& state, std::uint32_t operation, bool isDelay,
    const std::vector<std::uint32_t>& peers) {
    std::vector<std::int64_t> costs;
    costs.reserve(peers.size());
    for (const std::uint32_t peer : peers)
        costs.push_back(*costAt(state.costs.likely, isDelay, peer));
    *costAt(state.costs.fast, isDelay, operation) = nearestQuantile(costs, 0.25);
    *costAt(state.costs.slow, isDelay, operation) = nearestQuantile(costs, 0.75);
    std::sort(costs.begin(), costs.end());
    const std::size_t middle = costs.size() / 2;
    *costAt(state.costs.likely, isDelay, operation)
        = (costs[(costs.size() - 1) / 2] + costs[middle]) / 2;
}

} // namespace

Status changeRank(const StepChange& change, ChangeState& state) {
    const int rank = std::stoi(change.subject);
    std::set<int> ranks;
    int stage = -1;
    for (const StepTrack& track : state.graph->tracks) {
        ranks.insert(track.rank);
        stage = track.rank == rank ? std::max(stage, track.stage) : stage;
    }
    if (!ranks.contains(rank))
        return usageError(
            fmt::format("rank {} was not traced; there are {}", rank, text::numberList(ranks)));
    if (ranks.size() < 2)
        return usageError("no other rank was traced, whose median it could take");
    const auto all = sameOperations(*state.graph, rank, stage);
    std::vector<std::uint32_t> own;
    std::vector<std::uint32_t> peers;
    std::int64_t matched = 0;
    std::int64_t alone = 0;
    for (std::size_t i = 0; i < all.size();) {
        const SameOperation& same = all[i].same;
        own.clear();
        peers.clear();
        for (; i < all.size() && all[i].same == same; ++i)
            (all[i].rank == rank ? own : peers).push_back(all[i].operation);
        (peers.empty() ? alone : matched) += static_cast<std::int64_t>(own.size());
        if (own.empty() || peers.empty())
            continue;
        takeMedian(state, own.front(), false, peers);
        takeMedian(state, own.front(), true, peers);
    }
    if (matched == 0)
        return usageError(fmt::format("no other rank does the same work as rank {}", rank));
    state.assumption = fmt::format("The n-th operation of a name is the same work on each rank; {} "
                                   "of {} have no peer and stay as measured.",
        alone, text::counted(matched + alone, "operation"));
    return {};
}

} // namespace trainscope::analysis
