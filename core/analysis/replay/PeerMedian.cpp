// A rank whose operations take what the same ones of its peers take in the median.

#include "core/analysis/replay/ChangeState.h"
#include "core/analysis/statistics/Means.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <compare>

namespace trainscope::analysis {

namespace {

// The same operation on each rank: the n-th of a name, in an iteration, of a micro-batch.
struct SameOperation {
    std::uint32_t name;
    int iteration;
    int microBatch;
    auto operator<=>(const SameOperation&) const = default;
};
// By rank, in order.
using SameByRank = std::map<int, std::vector<std::uint32_t>>;

// The quartiles of the peers' bound the median.
void takeMedian(ChangeState& state, std::vector<std::int64_t> StepCosts::*cost, std::uint32_t own,
    const std::vector<std::uint32_t>& peers) {
    std::vector<std::int64_t> costs;
    for (const std::uint32_t peer : peers)
        costs.push_back((state.costs.likely.*cost)[peer]);
    (state.costs.fast.*cost)[own] = nearestQuantile(costs, 0.25);
    (state.costs.slow.*cost)[own] = nearestQuantile(costs, 0.75);
    (state.costs.likely.*cost)[own] = std::llround(medianOf({costs.begin(), costs.end()}));
}

// Number of the rank's operations without a peer.
std::int64_t takeMedians(ChangeState& state, const SameByRank& same, int rank) {
    std::int64_t alone = 0;
    const auto found = same.find(rank);
    for (std::size_t n = 0; found != same.end() && n < found->second.size(); ++n) {
        std::vector<std::uint32_t> peers;
        for (const auto& [peer, operations] : same) {
            if (peer != rank && n < operations.size())
                peers.push_back(operations[n]);
        }
        alone += peers.empty() ? 1 : 0;
        if (peers.empty())
            continue;
        takeMedian(state, &StepCosts::duration, found->second[n], peers);
        takeMedian(state, &StepCosts::delay, found->second[n], peers);
    }
    return alone;
}

} // namespace

Status changeRank(const StepChange& change, ChangeState& state) {
    const StepGraph& graph = *state.graph;
    int rank = -1;
    const char* const end = change.subject.data() + change.subject.size();
    if (std::from_chars(change.subject.data(), end, rank).ptr != end)
        return usageError(fmt::format("“{}” is no rank's number", change.subject));
    std::set<int> ranks;
    int stage = -1;
    for (const StepTrack& track : graph.tracks) {
        ranks.insert(track.rank);
        stage = track.rank == rank ? std::max(stage, track.stage) : stage;
    }
    if (!ranks.contains(rank) || ranks.size() < 2)
        return usageError(fmt::format(
            "rank {} has no peers in the trace; traced: {}", rank, text::numberList(ranks)));
    std::map<SameOperation, SameByRank> all;
    std::int64_t own = 0;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const StepTrack& track = graph.tracks[operation.track];
        if (isTransfer(operation) || (track.rank != rank && track.stage != stage))
            continue;
        all[{operation.name, operation.iteration, operation.microBatch}][track.rank].push_back(i);
        own += track.rank == rank ? 1 : 0;
    }
    std::int64_t alone = 0;
    for (const auto& [key, same] : all)
        alone += takeMedians(state, same, rank);
    state.assumption = fmt::format("The n-th operation of a name is the same work on each rank; {} "
                                   "of {} have no peer and stay as measured.",
        alone, text::counted(own, "operation"));
    return alone < own ? Status()
                       : usageError(fmt::format("no other rank does the work of rank {}", rank));
}

} // namespace trainscope::analysis
