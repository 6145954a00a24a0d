#pragma once
// Bytes that the ranks of a run exchange per step, computed from model and layout
// (core/layout/Traffic.h) beside measured: by the collectives of its traces, by group, and by the
// counters of its links, which count all groups together. Bytes are those sent; SI; absent where
// nothing tells them.
//
// A collective of size V sends V × busFactor() from each of its ranks (ring algorithms, as in
// Traffic.h); a message counts at the rank that sends it. Per step: in whole iterations without
// warm-up, of the trace for collectives, of the steady window for counters.

#include "core/analysis/iterations/Iterations.h"
#include "core/layout/Traffic.h"

namespace trainscope::analysis {

inline constexpr double kDisagreement = 0.2; // relative to the computed bytes

// Bytes that a rank sends in one of its groups, per step.
struct GroupBytes {
    std::string group; // key of a CommunicatorKind, or "embedding"
    layout::LinkClass link = layout::LinkClass::None;
    std::optional<double> computed;
    std::optional<double> measured; // by its collectives
    std::optional<double> busySeconds; // duration of its kernels, waiting included
    std::string what; // "activations: all-reduce"

    // measured / busySeconds: what the link carried while it was asked to.
    [[nodiscard]] std::optional<double> bandwidth() const;
};

// Sent by all GPUs of a node, per step.
struct LinkBytes {
    std::optional<double> computed;
    std::optional<double> counters;
};

struct NodeBytes {
    int node = 0;
    // To GPUs of the node; counters: nvlink_tx, or pcie_tx where that is the link. Absent where
    // some of the node's GPUs have none.
    LinkBytes scaleUp;
    LinkBytes scaleOut; // to other nodes; counters: ib_tx
    std::optional<double> pcie; // pcie_tx, of all the node's GPUs
    std::optional<double> scaleUpRate; // mean over the window, of a GPU, B/s
};

// Between two nodes, both directions together, per step.
struct EdgeBytes {
    int a = 0;
    int b = 0;
    std::string group;
    std::optional<double> computed;
    std::optional<double> measured; // absent: not all ranks that send over it were traced
};

struct RunBytes {
    std::vector<std::vector<GroupBytes>> ranks; // by rank, by computed bytes, most first
    std::vector<NodeBytes> nodes; // by number
    std::vector<EdgeBytes> edges;
    std::optional<double> stepSeconds; // in the steady window
    std::vector<std::string> notes; // disagreements, missing data with its reason
};

// Layout: of the run. Traces are read once, with bounded memory. Cancelled by progress.
Result<RunBytes> runBytes(const RunStudy& study, const layout::Layout& layout);

// The measured parts, for runBytes().
struct MeasuredGroup {
    std::optional<double> bytes; // per step; absent: the trace tells no sizes
    double seconds = 0.0;
    double replicaBytes = 0.0; // part of the bytes between shard groups (hybrid sharding)
};
struct MeasuredCollectives {
    std::map<int, std::map<std::string, MeasuredGroup>> ranks; // traced ones with whole iterations
    std::map<int, int> steps; // counted ones, by rank
    std::string why; // there is nothing
};
Result<MeasuredCollectives> measuredCollectives(
    const RunStudy& study, const layout::Layout& layout);

struct MeasuredCounters {
    struct Node {
        std::optional<double> nvlink; // per step
        std::optional<double> pcie;
        std::optional<double> network;
        std::optional<double> nvlinkRate; // one GPU, B/s
        int nvlinkGpus = 0; // GPUs with such counters
        int pcieGpus = 0;
    };
    std::map<int, Node> nodes;
    std::optional<double> stepSeconds;
    std::string why;
};
Result<MeasuredCounters> measuredCounters(const RunStudy& study);

} // namespace trainscope::analysis
