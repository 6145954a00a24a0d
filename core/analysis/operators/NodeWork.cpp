#include "core/analysis/operators/NodeWork.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/Try.h"
#include "core/work/TracedWork.h"

namespace trainscope::analysis {

namespace {

// Work of a node's subtree.
struct SubtreeWork {
    KnownWork ownPass; // frames in the node's own pass, reached through such frames alone
    KnownWork others;
    DurationNs ownPassTime;
};

void addBelow(SubtreeWork& caller, const SubtreeWork& called, bool isSamePass) {
    caller.others += called.others;
    if (!isSamePass) {
        caller.others += called.ownPass;
        return;
    }
    caller.ownPass += called.ownPass;
    caller.ownPassTime = caller.ownPassTime + called.ownPassTime;
}

} // namespace

KnownWork& KnownWork::operator+=(const KnownWork& other) {
    work += other.work;
    matrixFlop += other.matrixFlop;
    leastSeconds += other.leastSeconds;
    knownNs += other.knownNs;
    boundedNs += other.boundedNs;
    memoryNs += other.memoryNs;
    isTypeAssumed = isTypeAssumed || other.isTypeAssumed;
    return *this;
}

CallWork::CallWork(const CallTree& tree, const catalogue::GpuModel* gpu)
    : m_tree(tree)
    , m_gpu(gpu) {
    for (const CallNode& node : tree.nodes) {
        if (gpu == nullptr || node.kind != FrameKind::Kernel)
            continue;
        const auto told = work::singlePrecisionOf(tree.names[node.name]);
        // Products hang under operators within operators: all of them compute so.
        for (std::uint32_t at = node.parent;
             told != work::SinglePrecision::Unknown && at != CallNode::kNone
             && tree.nodes[at].kind == FrameKind::Operator && tree.nodes[at].pass == node.pass;
             at = tree.nodes[at].parent) {
            const CallNode& caller = tree.nodes[at];
            const auto [known, isNew]
                = m_precisions.try_emplace({caller.name, caller.signature}, told);
            if (!isNew && known->second != told)
                known->second = work::SinglePrecision::Unknown;
        }
    }
}

KnownWork CallWork::of(
    std::uint32_t name, std::uint32_t signature, std::int64_t calls, DurationNs time) {
    const auto [place, isNew] = m_calls.try_emplace({name, signature});
    if (isNew)
        place->second = read({name, signature});
    const OfCall& one = place->second;
    if (!one.isKnown || calls == 0 || time.ns == 0)
        return {};
    const auto count = static_cast<double>(calls);
    KnownWork known;
    known.work = {one.work.flop * count, one.work.bytes * count};
    known.matrixFlop = one.isOnMatrixUnits ? known.work.flop : 0.0;
    known.isTypeAssumed = one.isTypeAssumed;
    known.knownNs = time.ns;
    if (one.leastSeconds) {
        known.leastSeconds = *one.leastSeconds * count;
        known.boundedNs = time.ns;
        known.memoryNs = one.isMemoryBound ? time.ns : 0;
    }
    return known;
}

CallWork::OfCall CallWork::read(const Call& call) const {
    OfCall result;
    const auto traced
        = work::workOf(m_tree.names[call.first], std::string_view(m_tree.signatures[call.second]));
    if (!traced)
        return result;
    result.isKnown = true;
    result.work = *traced;
    result.isOnMatrixUnits = traced->units != work::Units::Vector;
    result.isTypeAssumed = traced->isTypeAssumed;
    if (m_gpu == nullptr)
        return result;
    const auto told = m_precisions.find(call);
    const auto precision
        = told == m_precisions.end() ? work::SinglePrecision::Unknown : told->second;
    const auto least
        = work::attainable(*traced, work::roofOf(*m_gpu, traced->type, traced->units, precision));
    if (!least || least->isPeakUnknown)
        return result;
    result.leastSeconds = least->seconds;
    result.isMemoryBound = least->bound == work::Bound::Memory;
    return result;
}

NodeWork nodeWork(const CallTree& tree, CallWork& works) {
    std::vector<SubtreeWork> subtrees(tree.nodes.size());
    NodeWork result;
    result.subtrees.resize(tree.nodes.size());
    // Children stand behind their callers.
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        const CallNode& node = tree.nodes[i];
        SubtreeWork& own = subtrees[i];
        if (isWork(node.kind))
            own.ownPassTime = node.sums.time;
        const bool isPart = node.sums.ownWorks > 0 || own.ownPass.knownNs < own.ownPassTime.ns;
        if (node.kind == FrameKind::Operator && isPart) {
            const KnownWork known
                = works.of(node.name, node.signature, node.sums.calls, own.ownPassTime);
            if (known.knownNs > 0)
                own.ownPass = known;
        }
        result.subtrees[i] = own.ownPass;
        result.subtrees[i] += own.others;
        // Work is of its caller's pass.
        const bool isOutermost = node.parent == CallNode::kNone
            || (!isWork(node.kind) && tree.nodes[node.parent].pass != node.pass);
        if (isOutermost)
            result.passes[static_cast<std::size_t>(node.pass)] += own.ownPass;
        if (node.parent != CallNode::kNone)
            addBelow(subtrees[node.parent], own, !isOutermost);
    }
    return result;
}

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
