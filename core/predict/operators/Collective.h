#pragma once
// Collective: one exchange of a group of GPUs, and the seconds it takes. Pure; any thread.

#include "core/analysis/traces/CollectiveKind.h"

namespace trainscope::predict {

using analysis::CollectiveKind; // those from AllReduce to SendRecv

struct Collective {
    CollectiveKind kind = CollectiveKind::AllReduce;
    // AllReduce: the tensor that every rank has. AllGather, ReduceScatter: the whole of what the
    // ranks' shards make. AllToAll, SendRecv: what one rank sends.
    double bytes = 0.0;
    int ranks = 1;
    int ranksPerNode = 1; // ranks of a node, or of a domain of links where these reach over nodes
    // AllToAll: of `bytes`, those that leave the node; absent: as evenly as ranks lie.
    std::optional<double> networkBytes = std::nullopt;

    [[nodiscard]] int nodes() const { return (ranks + ranksPerNode - 1) / ranksPerNode; }
    bool operator==(const Collective&) const = default;
};

// Immutable; any thread.
class CollectiveCosts {
public:
    virtual ~CollectiveCosts() = default;
    [[nodiscard]] virtual double secondsOf(const Collective& exchange) const = 0;
};

} // namespace trainscope::predict
