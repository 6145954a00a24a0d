#pragma once
// The bytes that the communicators of a rank exchange per training step, from the model and the
// layout. Bytes are those that one rank sends, with ring algorithms (of V bytes in n ranks:
// all-reduce 2(n−1)/n·V, reduce-scatter and all-gather (n−1)/n·V, all-to-all (n−1)/n·V). Let L be
// the layers of the rank's stage, m the micro-batches, A = s/cp · b · h · 2 B the activations
// between layers.
//
// tp   4 all-reduces of A per layer and micro-batch, two forward and two backward (Shoeybi et al.
//      2019); with sequence parallelism each is a reduce-scatter and an all-gather, and the
//      backward pass gathers twice more (Korthikanti et al. 2022, Megatron-LM). Layers of experts
//      have the attention's half in tp, and that of shared experts; in etp that of the tokens that
//      they work on.
// cp   keys and values once around the ring forward, they and their gradients backward:
//      3 · (cp−1) · 2·s/cp · b · k/tp · 2 B, k the width of keys (Liu et al. 2023); no rank has
//      less than one head of them.
// pp   A per micro-batch and direction, for every piece of the model that has a next one on another
//      stage (a tp-th of it with sequence parallelism).
// ep   dispatch and combine, forward and backward: 4 all-to-alls of the rank's tokens, each to
//      top-k experts.
// dp_cp, edp   ZeRO 0: all-reduce of the gradients; 1 and 2: reduce-scatter of the gradients and
//      all-gather of the parameters; 3: gathered twice and scattered once per micro-batch
//      (Rajbhandari et al. 2020). Sent within shard groups; replicas reduce their shards besides.
// embedding   gradients of tied embeddings between first and last stage
//
// And senders and receivers in the groups, with the bytes that so go over the links between nodes:
// rings in the order of ranks; all-to-all to each of the others alike; pipelines to the stages
// before and behind.

#include "core/layout/Layout.h"

#include <map>

namespace trainscope::layout {

// The whole model; parameters as numbers of weights.
struct TrafficModel {
    double hidden = 0.0;
    double keyWidth = 0.0; // key heads × head size
    int keyHeads = 0; // 0: as many as tensor parallelism divides
    double sequence = 0.0; // tokens of a sample
    double microBatch = 1.0; // samples
    double attentionParameters = 0.0; // one layer: attention and norms
    double mlpParameters = 0.0; // one layer; with experts: one expert
    double besideExperts = 0.0; // one layer with experts: router and shared experts
    bool hasSharedExperts = false;
    int denseLayers = 0; // the first ones of a model with experts, without them
    double denseMlpParameters = 0.0; // one dense layer
    int nextTokenLayers = 0; // more, behind the last one (multi-token prediction)
    double embeddingParameters = 0.0; // one table: vocabulary × hidden
    bool tiedEmbeddings = false;
    int experts = 1;
    int expertsPerToken = 1;
    bool sequenceParallel = true; // Megatron-LM's, along with tp
    double activationBytes = 2.0;
    double gradientBytes = 4.0; // Megatron-LM accumulates and reduces in single precision
    double parameterBytes = 2.0;
};

struct CommunicatorTraffic {
    std::string group; // key of the CommunicatorKind, or "embedding"
    double bytes = 0.0; // sent by the rank per step
    double replicaShare = 0.0; // part of `bytes` between the shard groups of dp_cp
    LinkClass link = LinkClass::None; // over the slowest link on the way
    std::string what; // "gradients: reduce-scatter, parameters: all-gather"
};

// The traffic of one rank; groups that exchange nothing are left out. NotFound where the layout
// does not know its layers or micro-batches.
Result<std::vector<CommunicatorTraffic>> trafficOf(
    const Layout& layout, const TrafficModel& model, int rank);

// Number of times that a stage sends activations of a micro-batch, or their gradients, to its
// neighbours; the last stage's next one is the first.
struct PipelineSends {
    int next = 0;
    int previous = 0;
};
PipelineSends pipelineSends(const Layout& layout, int stage);

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
