#pragma once
// The other ranks' parts of a collective. Its kernel runs on every rank of its process group, and
// the part that starts last keeps the others waiting, so comparing the starts shows who was late.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/Span.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

struct CollectivePeers {
    std::vector<CollectiveRank> ranks; // by rank, the one asked for among them
    std::vector<int> missingRanks; // ranks of the process group without a trace or a match
    int lastRank = -1; // its part started last
    DurationNs startSpread; // from the first start to the last
};

// Absent for a span that is no communication kernel. The parts are those that forEachCollective()
// finds among the calls around the span, which are read from 5 ms up to 30 s around it, until every
// recorded rank is there. Times are of the reference clock; without clocks they are as recorded,
// for ranks whose clocks agree. Cancelled by progress.
Result<std::optional<CollectivePeers>> collectivePeers(
    const RunStudy& study, int rank, const Span& span, const RankClocks* clocks = nullptr);

} // namespace trainscope::analysis
