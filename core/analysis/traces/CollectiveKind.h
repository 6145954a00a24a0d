#pragma once
// Kinds of communication kernels, and the bytes that count for each: the conventions of nccl-tests
// (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md). Pure functions; any thread.

#include "core/analysis/machine/ProcessGroups.h"

namespace trainscope::analysis {

enum class CollectiveKind : std::uint8_t {
    AllReduce,
    ReduceScatter,
    AllGather,
    AllToAll,
    SendRecv,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Barrier,
    Other,
};
// The keys of KernelCategories where it has one.
constexpr auto namesOf(CollectiveKind) {
    return enumNames("all_reduce", "reduce_scatter", "all_gather", "all_to_all", "send_recv",
        "broadcast", "reduce", "gather", "scatter", "barrier", "communication");
}

// By the "Collective name" argument, else by the kernel's name.
CollectiveKind collectiveKind(std::string_view kernelName, std::string_view collective);

// No part can end before every part has started, since each needs something of all others. Not so
// for broadcasts, reductions to one rank and messages, whose sender may be done early.
bool isSynchronising(CollectiveKind kind);

// All ranks hand in equally much (not so where split sizes may differ).
bool hasEqualSizes(CollectiveKind kind);

// Size of the operation in bytes: the larger of input and output, which is the whole buffer of an
// all-gather (output) and of a reduce-scatter (input). Absent where type or lengths are not known.
std::optional<double> bytesOf(const CollectiveDetail& detail);

// Bus bandwidth / algorithm bandwidth for n ranks: 2(n−1)/n all-reduce, (n−1)/n all-gather,
// reduce-scatter, all-to-all, gather and scatter, else 1. 0 for fewer than two ranks.
double busFactor(CollectiveKind kind, double ranks);

} // namespace trainscope::analysis
