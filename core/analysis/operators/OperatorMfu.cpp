#include "core/analysis/operators/OperatorMfu.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/NodeWork.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trainscope::analysis {

std::optional<OperatorMfu> operatorMfu(
    const CallTree& tree, double gpuSeconds, const catalogue::GpuModel* gpu) {
    if (!tree.hasShapes || tree.nodes.empty() || !(gpuSeconds > 0.0))
        return std::nullopt;
    CallWork works(tree, nullptr);
    KnownWork known;
    const NodeWork nodes = nodeWork(tree, works);
    for (const KnownWork& ofPass : nodes.passes)
        known += ofPass;
    if (known.knownNs == 0)
        return std::nullopt;
    OperatorMfu sum;
    sum.gpuSeconds = gpuSeconds;
    sum.recomputedFlop = nodes.passes[static_cast<std::size_t>(StepPass::Recomputation)].matrixFlop;
    sum.flop = known.matrixFlop - sum.recomputedFlop;
    sum.knownShare
        = static_cast<double>(known.knownNs) / static_cast<double>(tree.nodes.front().sums.time.ns);
    const auto peak = gpu == nullptr ? std::nullopt
        : gpu->bf16Flops             ? gpu->bf16Flops
                                     : gpu->fp16Flops;
    if (peak && *peak > 0.0) {
        sum.mfu = sum.flop / gpuSeconds / *peak;
        sum.hfu = known.matrixFlop / gpuSeconds / *peak;
    }
    return sum;
}

Result<std::vector<IterationMfu>> iterationMfus(
    const RunStudy& study, int rank, TimeRange window, const catalogue::GpuModel* gpu) {
    ASSIGN_OR_RETURN(const auto all, study.store.iterations(study.run.id));
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    TimeRange traced = kNoTime;
    for (const Track& track : tracks) {
        if (track.description.rank == rank && track.count > 0)
            traced = spanned(traced, track.range);
    }
    std::vector<std::int64_t> indices;
    std::vector<TimeRange> ranges;
    for (const Iteration& iteration : iterationsOfRank(all, rank)) {
        const TimeRange range = iteration.range;
        const bool isWhole = range.begin >= std::max(window.begin, traced.begin)
            && range.end <= std::min(window.end, traced.end);
        if (!isWhole)
            continue;
        indices.push_back(iteration.index);
        ranges.push_back(range);
    }
    std::vector<IterationMfu> found;
    const auto add = [&](std::size_t i, const CallTree& tree) -> Status {
        if (const auto mfu = operatorMfu(tree, tree.rankTime.seconds(), gpu))
            found.push_back({indices[i], ranges[i].length(), *mfu});
        return {};
    };
    RETURN_IF_ERROR(forEachCallTree(study, rank, ranges, add));
    return found;
}

} // namespace trainscope::analysis
