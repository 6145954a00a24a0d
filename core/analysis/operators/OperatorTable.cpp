#include "core/analysis/operators/OperatorTable.h"

#include "core/analysis/operators/NodeWork.h"
#include "core/work/OperatorSignature.h"
#include "core/work/Roofline.h"

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

} // namespace trainscope::analysis
