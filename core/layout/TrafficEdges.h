#pragma once
// Senders and receivers in the groups of a layout, and the bytes that so go over the links between
// nodes. Rings in the order of ranks, as Traffic.h counts bytes; all-to-all to each of the others
// alike; pipelines to the stages before and behind. Pure; any thread.

#include "core/layout/Layout.h"
#include "core/layout/Traffic.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::layout {

// A share of what a rank sends in one of its groups.
struct PeerShare {
    int rank = 0;
    double share = 0.0; // all of a rank's add up to 1
};

// `group`: key of a CommunicatorKind, or "embedding". `replicaShare`: of what is sent in dp_cp,
// between shard groups; the rest goes inside these from ZeRO 1 on. Empty where the rank has nobody
// to send to, or the key is none.
std::vector<PeerShare> peersOf(
    const Layout& layout, int rank, std::string_view group, double replicaShare = 0.0);

// Between two nodes, both directions together.
struct NodeEdge {
    int a = 0; // a < b
    int b = 0;
    std::string group;
    double bytes = 0.0; // per step

    bool operator==(const NodeEdge&) const = default;
};

// Bytes that a node's GPUs send per step.
struct NodeTraffic {
    double inside = 0.0; // to GPUs of its domain, those of the node among them
    double outside = 0.0; // to others
};

// Sums up what ranks send, of any number of them.
class EdgeSums {
public:
    // `nodesPerDomain`: nodes whose GPUs scale-up links join, by number.
    explicit EdgeSums(const Layout& layout, int nodesPerDomain = 1);

    void add(int rank, std::string_view group, double bytes, double replicaShare = 0.0);
    [[nodiscard]] std::vector<NodeEdge> edges() const; // by group, a, b
    [[nodiscard]] const std::vector<NodeTraffic>& nodes() const { return m_nodes; }

private:
    struct Edge {
        int a = 0;
        int b = 0;
        auto operator<=>(const Edge&) const = default;
    };
    const Layout& m_layout;
    int m_nodesPerDomain;
    std::map<std::string, std::map<Edge, double>, std::less<>> m_edges; // by group
    std::vector<NodeTraffic> m_nodes;
};

} // namespace trainscope::layout
