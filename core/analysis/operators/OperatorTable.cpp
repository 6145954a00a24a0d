#include "core/analysis/operators/OperatorTable.h"

#include "core/model/EnumNames.h"
#include "core/work/Roofline.h"
#include "core/work/TracedWork.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr auto kGroupingNames
    = enumNames<OperatorGrouping>({{OperatorGrouping::Operator, "operator"},
        {OperatorGrouping::Module, "module"}, {OperatorGrouping::Annotation, "annotation"},
        {OperatorGrouping::Shape, "shape"}, {OperatorGrouping::Pass, "pass"}});

// Work of some calls, and of how much of their time it is known.
struct KnownWork {
    work::Work work;
    double leastSeconds = 0.0; // on the GPU's roofline
    std::int64_t knownNs = 0; // of the time
    std::int64_t boundedNs = 0; // of that, the least is known
    std::int64_t memoryNs = 0; // of that, memory bounds it
    bool isTypeAssumed = false; // of some of it

    KnownWork& operator+=(const KnownWork& other) {
        work += other.work;
        leastSeconds += other.leastSeconds;
        knownNs += other.knownNs;
        boundedNs += other.boundedNs;
        memoryNs += other.memoryNs;
        isTypeAssumed = isTypeAssumed || other.isTypeAssumed;
        return *this;
    }
};

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

// The work of calls by name and signature of a tree.
class TreeWork {
public:
    TreeWork(const CallTree& tree, const catalogue::GpuModel* gpu)
        : m_tree(tree)
        , m_gpu(gpu) { }

    // Of so many calls that took so long; nothing where it is not known.
    KnownWork of(std::uint32_t name, std::uint32_t signature, std::int64_t calls, DurationNs time) {
        const auto& one = ofCall(name, signature);
        if (!one.isKnown || calls == 0 || time.ns == 0)
            return {};
        const auto count = static_cast<double>(calls);
        KnownWork known;
        known.work = {one.work.flop * count, one.work.bytes * count};
        known.knownNs = time.ns;
        known.isTypeAssumed = one.isTypeAssumed;
        if (one.leastSeconds) {
            known.leastSeconds = *one.leastSeconds * count;
            known.boundedNs = time.ns;
            known.memoryNs = one.isMemoryBound ? time.ns : 0;
        }
        return known;
    }

private:
    struct OfCall {
        bool isKnown = false;
        work::Work work;
        std::optional<double> leastSeconds;
        bool isMemoryBound = false;
        bool isTypeAssumed = false;
    };
    const OfCall& ofCall(std::uint32_t name, std::uint32_t signature) {
        const auto [known, isNew] = m_calls.try_emplace({name, signature});
        if (isNew)
            known->second = read(name, signature);
        return known->second;
    }
    [[nodiscard]] OfCall read(std::uint32_t name, std::uint32_t signature) const {
        OfCall result;
        const auto traced
            = work::workOf(m_tree.names[name], std::string_view(m_tree.signatures[signature]));
        if (!traced)
            return result;
        result.isKnown = true;
        result.work = *traced;
        result.isTypeAssumed = traced->isTypeAssumed;
        if (m_gpu == nullptr)
            return result;
        const auto least
            = work::attainable(*traced, work::roofOf(*m_gpu, traced->type, traced->units));
        if (!least || least->isPeakUnknown)
            return result;
        result.leastSeconds = least->seconds;
        result.isMemoryBound = least->bound == work::Bound::Memory;
        return result;
    }

    const CallTree& m_tree;
    const catalogue::GpuModel* m_gpu;
    std::map<std::pair<std::uint32_t, std::uint32_t>, OfCall> m_calls;
};

struct NodeWorks {
    std::vector<KnownWork> subtree;
    // The nodes whose own work stands for all of their subtree.
    std::vector<bool> isWhole;
};

NodeWorks worksOf(const CallTree& tree, TreeWork& works) {
    NodeWorks result;
    result.subtree.resize(tree.nodes.size());
    result.isWhole.resize(tree.nodes.size());
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        const CallNode& node = tree.nodes[i];
        KnownWork& own = result.subtree[i];
        const bool isPart = node.sums.ownWorks > 0 || own.knownNs < node.sums.time.ns;
        if (node.kind == FrameKind::Operator && isPart) {
            const KnownWork known
                = works.of(node.name, node.signature, node.sums.calls, node.sums.time);
            result.isWhole[i] = known.knownNs > 0;
            if (known.knownNs > 0)
                own = known;
        }
        if (node.parent != CallNode::kNone)
            result.subtree[node.parent] += own;
    }
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

CallTotal::Of totalsOf(OperatorGrouping grouping) {
    switch (grouping) {
    case OperatorGrouping::Operator:
        return CallTotal::Of::Operator;
    case OperatorGrouping::Module:
        return CallTotal::Of::Module;
    case OperatorGrouping::Annotation:
        return CallTotal::Of::Annotation;
    case OperatorGrouping::Shape:
        return CallTotal::Of::Shape;
    case OperatorGrouping::Pass:
        break;
    }
    return CallTotal::Of::Pass;
}

FrameKind frameOf(OperatorGrouping grouping) {
    return grouping == OperatorGrouping::Module ? FrameKind::Module : FrameKind::Annotation;
}

// By name: of all shapes of an operator.
std::map<std::uint32_t, KnownWork> worksByOperator(const CallTree& tree, TreeWork& works) {
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
    const CallTree& tree, const NodeWorks& nodes, FrameKind kind) {
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
            byName[node.name] += nodes.subtree[i];
    }
    return byName;
}

std::map<StepPass, KnownWork> worksByPass(const CallTree& tree, const NodeWorks& nodes) {
    std::map<StepPass, KnownWork> byPass;
    std::vector<bool> isCounted(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        isCounted[i]
            = (node.parent != CallNode::kNone && isCounted[node.parent]) || nodes.isWhole[i];
        const bool isOutermost = node.parent == CallNode::kNone || !isCounted[node.parent];
        if (nodes.isWhole[i] && isOutermost)
            byPass[node.pass] += nodes.subtree[i];
    }
    return byPass;
}

} // namespace

std::string_view toString(OperatorGrouping grouping) {
    return kGroupingNames.nameOf(grouping);
}

OperatorTable operatorTable(
    const CallTree& tree, OperatorGrouping grouping, const catalogue::GpuModel* gpu) {
    TreeWork works(tree, gpu);
    const bool isByFrame
        = grouping == OperatorGrouping::Module || grouping == OperatorGrouping::Annotation;
    const NodeWorks nodes
        = isByFrame || grouping == OperatorGrouping::Pass ? worksOf(tree, works) : NodeWorks();
    const auto byFrame = isByFrame               ? worksByFrame(tree, nodes, frameOf(grouping))
        : grouping == OperatorGrouping::Operator ? worksByOperator(tree, works)
                                                 : std::map<std::uint32_t, KnownWork>();
    const auto byPass = grouping == OperatorGrouping::Pass ? worksByPass(tree, nodes)
                                                           : std::map<StepPass, KnownWork>();
    OperatorTable table;
    table.grouping = grouping;
    for (const CallTotal& total : tree.totals) {
        if (total.of != totalsOf(grouping) || total.sums.works == 0)
            continue;
        OperatorEntry row = rowOf(tree, total);
        KnownWork known;
        if (grouping == OperatorGrouping::Shape) {
            row.signature = tree.signatures[total.signature];
            known = works.of(total.name, total.signature, total.sums.calls, total.sums.time);
        } else if (grouping == OperatorGrouping::Pass) {
            const auto found = byPass.find(total.pass);
            known = found == byPass.end() ? known : found->second;
        } else if (const auto found = byFrame.find(total.name); found != byFrame.end()) {
            known = found->second;
        }
        row.efficiency = efficiencyFrom(known, row.time, row.busy);
        table.rows.push_back(std::move(row));
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
        [](const OperatorEntry& a, const OperatorEntry& b) { return a.time > b.time; });
    return table;
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
        const std::string type(work::toString(argument.type));
        if (type == lastType)
            continue;
        types += (types.empty() ? " " : ", ") + type;
        lastType = type;
    }
    return text + types;
}

std::vector<WorkEfficiency> efficiencies(const CallTree& tree, const catalogue::GpuModel* gpu) {
    TreeWork works(tree, gpu);
    const NodeWorks nodes = worksOf(tree, works);
    std::vector<WorkEfficiency> result;
    result.reserve(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        result.push_back(
            efficiencyFrom(nodes.subtree[i], tree.nodes[i].sums.time, tree.nodes[i].sums.busy));
    return result;
}

} // namespace trainscope::analysis
