#include "core/analysis/operators/OperatorTable.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/Try.h"
#include "core/work/OperatorSignature.h"
#include "core/work/TracedWork.h"

namespace trainscope::analysis {
namespace {

// Twice the largest cache of a GPU so far (256 MB of an MI300X).
constexpr double kBeyondCachesB = 512e6;

WorkEfficiency efficiencyFrom(const KnownWork& known, DurationNs time, DurationNs busy) {
    WorkEfficiency result;
    if (known.knownNs == 0 || time.ns == 0 || busy.ns == 0)
        return result;
    result.knownShare = static_cast<double>(known.knownNs) / static_cast<double>(time.ns);
    result.flop = known.work.flop;
    result.bytes = known.work.bytes;
    result.flopPerSecond = known.work.flop / busy.seconds();
    result.bytesPerSecond = known.work.bytes / busy.seconds();
    result.intensity = work::intensityOf(known.work);
    result.isTypeAssumed = known.isTypeAssumed;
    if (known.boundedNs == 0)
        return result;
    const double bounded
        = busy.seconds() * static_cast<double>(known.boundedNs) / static_cast<double>(time.ns);
    result.rooflineFraction = known.leastSeconds / bounded;
    result.savable = std::max(0.0, bounded - known.leastSeconds);
    result.isMemoryBound = 2 * known.memoryNs > known.boundedNs;
    return result;
}

OperatorEntry rowOf(const CallTree& tree, const CallTotal& total) {
    OperatorEntry row;
    row.name = total.of == CallTotal::Of::Pass ? std::string(toString(total.pass))
                                               : tree.names[total.name];
    row.pass = total.pass;
    row.sums = total.sums;
    row.time = total.sums.time;
    row.busy = total.sums.busy;
    return row;
}

FrameKind frameOf(OperatorGrouping grouping) {
    return grouping == OperatorGrouping::Module ? FrameKind::Module : FrameKind::Annotation;
}

// By name: of all shapes of an operator.
std::map<std::uint32_t, KnownWork> worksByOperator(const CallTree& tree, CallWork& works) {
    std::map<std::uint32_t, KnownWork> byName;
    for (const CallTotal& total : tree.totals) {
        if (total.of == CallTotal::Of::Shape)
            byName[total.name]
                += works.of(total.name, total.signature, total.sums.calls, total.sums.time);
    }
    return byName;
}

// By name: of all frames of that kind that no frame of the same name holds.
std::map<std::uint32_t, KnownWork> worksByFrame(
    const CallTree& tree, const NodeWork& nodes, FrameKind kind) {
    std::map<std::uint32_t, KnownWork> byName;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        if (node.kind != kind)
            continue;
        bool isOutermost = true;
        for (std::uint32_t at = node.parent; at != CallNode::kNone; at = tree.nodes[at].parent)
            isOutermost
                = isOutermost && (tree.nodes[at].kind != kind || tree.nodes[at].name != node.name);
        if (isOutermost)
            byName[node.name] += nodes.subtrees[i];
    }
    return byName;
}

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

OperatorTable operatorTable(
    const CallTree& tree, OperatorGrouping grouping, const catalogue::GpuModel* gpu) {
    CallWork works(tree, gpu);
    const bool isByFrame
        = grouping == OperatorGrouping::Module || grouping == OperatorGrouping::Annotation;
    const NodeWork nodes
        = isByFrame || grouping == OperatorGrouping::Pass ? nodeWork(tree, works) : NodeWork();
    const auto byFrame = isByFrame               ? worksByFrame(tree, nodes, frameOf(grouping))
        : grouping == OperatorGrouping::Operator ? worksByOperator(tree, works)
                                                 : std::map<std::uint32_t, KnownWork>();
    OperatorTable table;
    table.grouping = grouping;
    for (const CallTotal& total : tree.totals) {
        if (total.of != grouping || total.sums.works == 0)
            continue;
        OperatorEntry row = rowOf(tree, total);
        KnownWork known;
        if (grouping == OperatorGrouping::Shape) {
            row.signature = tree.signatures[total.signature];
            known = works.of(total.name, total.signature, total.sums.calls, total.sums.time);
        } else if (grouping == OperatorGrouping::Pass) {
            known = nodes.passes[static_cast<std::size_t>(total.pass)];
        } else if (const auto found = byFrame.find(total.name); found != byFrame.end()) {
            known = found->second;
        }
        row.efficiency = efficiencyFrom(known, row.time, row.busy);
        table.rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(table.rows, std::greater<>(), &OperatorEntry::time);
    return table;
}

std::vector<OperatorEntry> kernelRows(const CallTree& tree, const catalogue::GpuModel* gpu,
    const std::function<std::string(std::size_t node)>& rowOf) {
    CallWork works(tree, gpu);
    const NodeWork nodes = nodeWork(tree, works);
    std::map<std::string, std::pair<FrameSums, KnownWork>> sums;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& leaf = tree.nodes[i];
        if (!isWork(leaf.kind) || leaf.sums.time.ns <= 0)
            continue;
        auto& [all, known] = sums[rowOf(i)];
        all += leaf.sums;
        // The nearest caller that knows it, as long as no caller launches more.
        std::uint32_t at = leaf.parent;
        while (at != CallNode::kNone && tree.nodes[at].sums.works == leaf.sums.works
            && nodes.subtrees[at].knownNs == 0)
            at = tree.nodes[at].parent;
        if (at != CallNode::kNone && tree.nodes[at].sums.works == leaf.sums.works)
            known += nodes.subtrees[at];
    }
    std::vector<OperatorEntry> rows;
    for (auto& [name, one] : sums) {
        const auto& [all, known] = one;
        rows.push_back({name, {}, StepPass::None, all, efficiencyFrom(known, all.time, all.busy),
            all.time, all.busy});
    }
    std::ranges::stable_sort(rows, std::greater<>(), &OperatorEntry::time);
    return rows;
}

std::optional<MeasuredBandwidth> measuredBandwidth(
    const CallTree& tree, const catalogue::GpuModel* gpu) {
    if (gpu == nullptr || !gpu->memoryBandwidth)
        return std::nullopt;
    CallWork works(tree, gpu);
    std::optional<MeasuredBandwidth> best;
    for (const CallTotal& total : tree.totals) {
        const FrameSums& sums = total.sums;
        if (total.of != CallTotal::Of::Shape || sums.calls == 0 || sums.busy.ns == 0)
            continue;
        const KnownWork known = works.of(total.name, total.signature, sums.calls, sums.time);
        const bool isBeyondCaches
            = known.work.bytes >= kBeyondCachesB * static_cast<double>(sums.calls);
        const double rate = known.work.bytes / sums.busy.seconds();
        if (known.knownNs == 0 || known.matrixFlop > 0.0 || known.isTypeAssumed || !isBeyondCaches
            || rate > *gpu->memoryBandwidth)
            continue;
        if (!best || rate > best->bytesPerSecond)
            best = {rate, tree.names[total.name]};
    }
    return best;
}

std::string shapeText(std::string_view signature) {
    const auto read = work::parseSignature(signature);
    if (!read)
        return {};
    std::string text;
    std::string types;
    std::string lastType;
    for (const work::Argument& argument : read->arguments) {
        if (argument.kind != work::Argument::Kind::Tensor)
            continue;
        text += text.empty() ? "[" : ", [";
        const auto& dims = argument.tensors.front().dims;
        for (std::size_t i = 0; i < dims.size(); ++i)
            text += (i > 0 ? ", " : "") + std::to_string(dims[i]);
        text += "]";
        const std::string type(toString(argument.type));
        if (type == lastType)
            continue;
        types += (types.empty() ? " " : ", ") + type;
        lastType = type;
    }
    return text + types;
}

std::vector<WorkEfficiency> efficiencies(const CallTree& tree, const catalogue::GpuModel* gpu) {
    CallWork works(tree, gpu);
    const NodeWork nodes = nodeWork(tree, works);
    std::vector<WorkEfficiency> result;
    result.reserve(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        result.push_back(
            efficiencyFrom(nodes.subtrees[i], tree.nodes[i].sums.time, tree.nodes[i].sums.busy));
    return result;
}

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
