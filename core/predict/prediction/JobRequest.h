#pragma once
// JobRequest: a job as it is asked for by hand, in a form, or by a run that was made. Plain values.

#include "core/predict/Job.h"

namespace trainscope::predict {

struct ClusterRequest : Machine {
    int nodes = 1;
    int gpusPerNode = 8;

    // Number of GPUs of a cluster that checkCluster() accepts.
    [[nodiscard]] int gpus() const { return nodes * gpusPerNode; }
};

// "4x8xH200" (nodes, GPUs per node, GPU), "64xH100", "H100" (one node); GPUs per node as usual for
// the GPU where they are not said. Usage names what is wrong.
Result<ClusterRequest> clusterFrom(std::string_view text);
std::string textOf(const ClusterRequest& cluster); // "4x8xH200 SXM"
ClusterRequest clusterOf(const catalogue::GpuModel& gpu, int nodes, int gpusPerNode);
int usualGpusPerNode(const catalogue::GpuModel& gpu);

// "tp=8,pp=4,vpp=2,ep=8,zero=3"; keys tp, pp, cp, ep, etp, dp, vpp, zero, shard, fsdp (no value),
// embedding-layer, loss-layer (no values: each counts as a layer where layers are divided equally),
// order, schedule, stage-layers (19-21-21-19). Usage names the part that cannot be read.
Result<layout::LayoutRequest> layoutFrom(std::string_view text);
// The degrees above 1, in that form; "tp=1" for none. Schedules stand
// in it where they are not the usual one.
std::string textOf(const layout::Layout& layout);

struct JobRequest : Setup {
    ClusterRequest cluster;
    layout::LayoutRequest layout; // degrees; layers, ranks and micro-batches follow from the rest
    // With tensor parallelism, where not said, of training.
    std::optional<bool> sequenceParallel;
};

// Takes what the job's software does unless the job says otherwise: weights kept in 8 bits,
// attention in 8 bits beside frozen weights (resources/prediction.json).
void takeHabits(Job& job);

// Usage says what does not fit: ranks, batch, layers, what a workload has not.
Result<Job> jobOf(const JobRequest& request);
// Usage where numbers are below 1, or beyond any cluster and job (RankGrid::kMaxRanks GPUs).
Status checkCluster(const ClusterRequest& cluster);
Status checkNumbers(int microBatch, int globalBatch, int sequence);
// Usage says what the workload of a request has not, of what it asks for.
Status checkWorkload(const JobRequest& request);
// Takes away what inference has not: recomputation, virtual stages, schedules of backward passes,
// shards of gradients and optimizer; tokens that training would generate.
void keepWhatApplies(JobRequest& request);

// Divides layers that the pieces of a pipeline do not share evenly. Embedding and loss count as a
// layer each where that makes it even; else the loss and each further token that is predicted count
// as one layer of the last piece, and the first pieces have more.
void divideLayers(const catalogue::TrainingModel& model, layout::LayoutRequest& request);

} // namespace trainscope::predict
