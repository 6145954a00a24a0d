#include "core/analysis/operators/OperatorMfu.h"

#include <cstddef>
#include <cstdint>

namespace trainscope::analysis {

namespace {

using Counted = std::vector<std::optional<work::TracedWork>>;

Counted knownWork(const CallTree& tree) {
    Counted known(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        if (node.kind == FrameKind::Operator && node.signature != 0 && node.sums.works > 0)
            known[i] = work::workOf(tree.names[node.name], tree.signatures[node.signature]);
    }
    return known;
}

} // namespace

std::vector<std::optional<work::TracedWork>> countedWork(const CallTree& tree) {
    const Counted known = knownWork(tree);
    Counted counted(tree.nodes.size());
    std::vector<bool> countsBelow(tree.nodes.size(), false);
    const auto count = [&](std::size_t place) {
        counted[place] = known[place];
        for (std::uint32_t above = tree.nodes[place].parent; above != CallNode::kNone;
             above = tree.nodes[above].parent)
            countsBelow[above] = true;
    };
    // Children stand behind their callers.
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        if (known[i] && tree.nodes[i].sums.ownWorks > 0 && !countsBelow[i])
            count(i);
    }
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        if (known[i] && !counted[i] && !countsBelow[i])
            count(i);
    }
    return counted;
}

std::optional<OperatorMfu> operatorMfu(
    const CallTree& tree, double gpuSeconds, const catalogue::GpuModel* gpu) {
    if (!tree.hasShapes || !(gpuSeconds > 0.0))
        return std::nullopt;
    OperatorMfu sum;
    sum.gpuSeconds = gpuSeconds;
    double all = 0.0;
    double known = 0.0;
    const Counted counted = countedWork(tree);
    for (std::size_t i = 0; i < counted.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        if (isWork(node.kind))
            all += node.sums.time.seconds();
        if (!counted[i])
            continue;
        known += node.sums.time.seconds();
        if (counted[i]->units != work::Units::Vector)
            (node.pass == StepPass::Recomputation ? sum.recomputedFlop : sum.flop)
                += counted[i]->flop * static_cast<double>(node.sums.calls);
    }
    if (!(known > 0.0))
        return std::nullopt;
    sum.knownShare = known / all;
    const auto peak = gpu == nullptr ? std::nullopt
        : gpu->bf16Flops             ? gpu->bf16Flops
                                     : gpu->fp16Flops;
    if (peak && *peak > 0.0) {
        sum.mfu = sum.flop / gpuSeconds / *peak;
        sum.hfu = (sum.flop + sum.recomputedFlop) / gpuSeconds / *peak;
    }
    return sum;
}

} // namespace trainscope::analysis
