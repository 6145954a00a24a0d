#include "core/analysis/findings/OperatorFacts.h"

#include "core/analysis/operators/OperatorTable.h"
#include "core/work/WorkTable.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace trainscope::analysis {

namespace {

bool isPlace(FrameKind kind) {
    return kind == FrameKind::Module || kind == FrameKind::Annotation;
}

// The nearest module or annotation above a node, else the outermost operator; kNone: neither.
std::uint32_t placeOf(const CallTree& tree, std::uint32_t node) {
    std::uint32_t outermost = CallNode::kNone;
    for (std::uint32_t at = node; at != CallNode::kNone; at = tree.nodes[at].parent) {
        if (isPlace(tree.nodes[at].kind))
            return at;
        if (tree.nodes[at].kind == FrameKind::Operator)
            outermost = at;
    }
    return outermost;
}

class TreeParts {
public:
    OperatorPart& operator[](const std::string& name) {
        OperatorPart& part = m_parts[name];
        part.name = name;
        return part;
    }
    template <typename Key>
    [[nodiscard]] std::vector<OperatorPart> by(Key key) const {
        std::vector<OperatorPart> list;
        for (const auto& [name, part] : m_parts)
            list.push_back(part);
        std::ranges::stable_sort(
            list, [key](const auto& a, const auto& b) { return a.*key > b.*key; });
        return list;
    }

private:
    std::map<std::string, OperatorPart> m_parts;
};

// Modules of one class are one: "nn.Module: Block" of "nn.Module: Block_12".
std::string nameAt(const CallTree& tree, std::uint32_t node) {
    if (node == CallNode::kNone)
        return "outside all calls";
    std::string name = tree.names[tree.nodes[node].name];
    if (tree.nodes[node].kind != FrameKind::Module)
        return name;
    const std::size_t end = name.find_last_not_of("0123456789");
    return end != std::string::npos && name[end] == '_' ? name.substr(0, end) : name;
}

void addSlow(const CallTree& tree, const catalogue::GpuModel& gpu, OperatorFacts& facts) {
    for (const OperatorEntry& row : operatorTable(tree, OperatorGrouping::Shape, &gpu).rows) {
        const double seconds = row.busy.seconds();
        const bool isSlow = row.sums.calls > 0
            && seconds >= static_cast<double>(row.sums.calls) * kLeastSlowCallS
            && row.efficiency.rooflineFraction && *row.efficiency.rooflineFraction < kLowRoofline;
        if (!isSlow)
            continue;
        const double saved = row.efficiency.savable.value_or(0.0);
        facts.savedS += saved;
        facts.slow.push_back({row.name, shapeText(row.signature), seconds, saved, 0.0});
    }
    std::ranges::stable_sort(
        facts.slow, std::greater<>(), [](const auto& one) { return one.savedS; });
}

// Copies by the copy engines are told by their time without kernels (gpu_copies).
bool isCopying(const CallTree& tree, const CallNode& node) {
    if (node.kind != FrameKind::Kernel)
        return false;
    if (node.parent == CallNode::kNone || tree.nodes[node.parent].kind != FrameKind::Operator)
        return false;
    const auto* const rule
        = work::WorkTable::inUse().find(tree.names[tree.nodes[node.parent].name]);
    return rule != nullptr
        && (rule->formula == work::Formula::Copy || rule->formula == work::Formula::Concatenation);
}

void addWorkNodes(const CallTree& tree, OperatorFacts& facts) {
    TreeParts small;
    TreeParts copied;
    TreeParts again;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        if (!isWork(node.kind) || node.sums.works <= 0)
            continue;
        const double seconds = node.sums.time.seconds();
        const auto place = placeOf(tree, node.parent);
        if (node.kind == FrameKind::Kernel) {
            facts.kernels += node.sums.works;
            if (seconds < kSmallKernelS * static_cast<double>(node.sums.works)) {
                facts.smallKernels += node.sums.works;
                facts.smallS += seconds;
                small[nameAt(tree, place)].seconds += seconds;
            }
        }
        if (isCopying(tree, node)) {
            facts.copiedS += seconds;
            copied[nameAt(tree, place)].seconds += seconds;
        }
        if (node.pass == StepPass::Recomputation) {
            facts.recomputedS += seconds;
            again[nameAt(tree, node.parent)].seconds += seconds;
        }
    }
    facts.smallIn = small.by(&OperatorPart::seconds);
    facts.copiedIn = copied.by(&OperatorPart::seconds);
    facts.recomputed = again.by(&OperatorPart::seconds);
}

// The innermost ones: what calls them takes as long by them.
void addLaunchBound(const CallTree& tree, OperatorFacts& facts) {
    std::vector<bool> holdsOne(tree.nodes.size(), false);
    TreeParts found;
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        const CallNode& node = tree.nodes[i];
        const double hostS = node.sums.hostTime.seconds();
        const double workS = node.sums.busy.seconds();
        const bool isBound = isPlace(node.kind) && !holdsOne[i] && node.sums.works > 0
            && hostS > kHostOverWork * workS;
        if (isBound) {
            OperatorPart& part = found[nameAt(tree, static_cast<std::uint32_t>(i))];
            part.hostS += hostS;
            part.seconds += workS;
        }
        if (node.parent != CallNode::kNone && (isBound || holdsOne[i]))
            holdsOne[node.parent] = true;
    }
    facts.launchBound = found.by(&OperatorPart::hostS);
}

} // namespace

OperatorFacts operatorFacts(const CallTree& tree, const catalogue::GpuModel* gpu) {
    OperatorFacts facts;
    if (!tree.hasHost)
        return facts;
    if (gpu != nullptr)
        addSlow(tree, *gpu, facts);
    addWorkNodes(tree, facts);
    addLaunchBound(tree, facts);
    return facts;
}

} // namespace trainscope::analysis
