#include "app/viewmodels/operators/OperatorRows.h"

#include "core/plot/operators/OperatorsText.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace trainscope::app {
namespace {

using analysis::CallNode;
using analysis::CallTree;
using analysis::FrameKind;
using analysis::OperatorGrouping;

// True for a frame of the tree that belongs to a row of a flat table.
bool isOfRow(const CallTree& tree, const CallNode& node, const OutlineNode& row,
    const std::string& signature, OperatorGrouping grouping) {
    if (analysis::isWork(node.kind))
        return false;
    switch (grouping) {
    case OperatorGrouping::Pass:
        return node.pass == row.pass;
    case OperatorGrouping::Module:
    case OperatorGrouping::Annotation:
        return node.kind == row.kind
            && plot::frameTitle(node.kind, tree.names[node.name]) == row.name;
    case OperatorGrouping::Operator:
    case OperatorGrouping::Shape:
        break;
    }
    return node.kind == FrameKind::Operator && tree.names[node.name] == row.name
        && (grouping == OperatorGrouping::Operator || tree.signatures[node.signature] == signature);
}

bool isByOperator(OperatorGrouping grouping) {
    return grouping == OperatorGrouping::Operator || grouping == OperatorGrouping::Shape;
}

void addKernel(
    const std::string& name, const CallNode& leaf, std::map<std::string, KernelsUnder>& kernels) {
    const auto [found, isNew] = kernels.try_emplace(name);
    KernelsUnder& one = found->second;
    one.name = name;
    one.shortest = isNew ? leaf.shortest : std::min(one.shortest, leaf.shortest);
    if (isNew || leaf.longest > one.longest) {
        one.longest = leaf.longest;
        one.longestAt = leaf.longestAt;
        one.longestRank = leaf.longestRank;
    }
    one.count += leaf.sums.works;
    one.total = one.total + leaf.sums.time;
}

// By node of the tree: whether it, or one of its callers where these count with all they call, is
// of the row. Work is of the nearest operator above it, whatever frames lie between.
std::vector<bool> nodesOfRow(const OperatorsAnswer& answer, std::uint32_t row) {
    const CallTree& tree = answer.work->tree;
    const OutlineNode& shown = answer.outline.nodes()[row];
    std::vector<bool> isIn(tree.nodes.size(), false);
    if (answer.question.by == OperatorsBy::Tree) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i)
            isIn[i] = i == shown.source || (i > 0 && isIn[tree.nodes[i].parent]);
        return isIn;
    }
    const std::string& signature = answer.table->operators[shown.source].signature;
    const bool isWhole = answer.grouping == OperatorGrouping::Module
        || answer.grouping == OperatorGrouping::Annotation;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const bool goesOn = isByOperator(answer.grouping) ? node.kind != FrameKind::Operator
                                                          : isWhole || analysis::isWork(node.kind);
        const bool isBelow = i > 0 && isIn[node.parent] && goesOn;
        isIn[i] = isBelow || isOfRow(tree, node, shown, signature, answer.grouping);
    }
    return isIn;
}

std::uint32_t longestWork(const CallTree& tree, const std::vector<bool>& isIn) {
    std::uint32_t best = OutlineNode::kNone;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const bool isFrame = isIn[i] && !analysis::isWork(tree.nodes[i].kind);
        if (isFrame
            && (best == OutlineNode::kNone || tree.nodes[i].sums.time > tree.nodes[best].sums.time))
            best = i;
    }
    return best;
}

// By frame of both runs: whether it is one of the row, or, in the tree, under it.
std::vector<bool> framesOfRow(const OperatorsAnswer& answer, std::uint32_t row) {
    const auto& difference = answer.difference->difference;
    const std::size_t source = answer.outline.nodes()[row].source;
    std::vector<bool> isIn(difference.frames.size(), false);
    if (answer.question.by == OperatorsBy::Tree) {
        for (std::size_t i = source; i < isIn.size(); ++i)
            isIn[i] = i == source || (i > 0 && isIn[difference.frames[i].parent]);
        return isIn;
    }
    for (const std::uint32_t frame : answer.difference->operators[source].frames)
        isIn[frame] = true;
    return isIn;
}

std::vector<KernelsUnder> kernelsIn(const CallTree& tree, const std::vector<bool>& isIn) {
    std::vector<KernelsUnder> made;
    std::map<std::string, KernelsUnder> kernels;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (isIn[i] && analysis::isWork(tree.nodes[i].kind) && tree.nodes[i].sums.works > 0)
            addKernel(tree.names[tree.nodes[i].name], tree.nodes[i], kernels);
    }
    for (auto& [name, one] : kernels)
        made.push_back(std::move(one));
    std::stable_sort(made.begin(), made.end(),
        [](const KernelsUnder& one, const KernelsUnder& other) { return one.total > other.total; });
    return made;
}

// Kernels of one of two runs that are compared.
std::vector<KernelsUnder> comparedKernels(const OperatorsAnswer& answer, std::uint32_t row,
    const figures::OperatorsReading& reading, const std::vector<std::uint32_t>& frameOf) {
    if (!reading.work || row >= answer.outline.nodes().size())
        return {};
    const auto frames = framesOfRow(answer, row);
    std::vector<bool> isIn(reading.work->tree.nodes.size(), false);
    for (std::size_t i = 0; i < std::min(isIn.size(), frameOf.size()); ++i)
        isIn[i] = frames[frameOf[i]];
    return kernelsIn(reading.work->tree, isIn);
}

} // namespace

std::vector<KernelsUnder> kernelsUnder(const OperatorsAnswer& answer, std::uint32_t row) {
    if (answer.difference)
        return comparedKernels(
            answer, row, *answer.reading, answer.difference->difference.frameOfA);
    if (!answer.work || row >= answer.outline.nodes().size())
        return {};
    return kernelsIn(answer.work->tree, nodesOfRow(answer, row));
}

std::vector<KernelsUnder> otherKernelsUnder(const OperatorsAnswer& answer, std::uint32_t row) {
    return answer.difference
        ? comparedKernels(answer, row, *answer.other, answer.difference->difference.frameOfB)
        : std::vector<KernelsUnder>();
}

text::Table kernelsTable(
    const std::string& title, const std::vector<KernelsUnder>& kernels, bool isOfHost) {
    text::Table table;
    table.title = title;
    if (isOfHost) {
        table.columns = {{"Call", text::Align::Left}, {"Count"}, {"Self time"}, {"Mean"}};
        for (const KernelsUnder& one : kernels)
            table.add({plot::frameTitle(FrameKind::Annotation, one.name), one.count, one.total,
                DurationNs{one.total.ns / one.count}});
        return table;
    }
    table.columns = {
        {"Kernel", text::Align::Left}, {"Count"}, {"Total"}, {"Mean"}, {"Shortest"}, {"Longest"}};
    for (const KernelsUnder& one : kernels)
        table.add({plot::frameTitle(FrameKind::Kernel, one.name), one.count, one.total,
            DurationNs{one.total.ns / one.count}, one.shortest, one.longest});
    return table;
}

std::uint32_t treeNodeOf(const OperatorsAnswer& answer, std::uint32_t row) {
    if (answer.difference || !answer.work || row >= answer.outline.nodes().size())
        return OutlineNode::kNone;
    if (answer.question.by == OperatorsBy::Tree)
        return static_cast<std::uint32_t>(answer.outline.nodes()[row].source);
    return longestWork(answer.work->tree, nodesOfRow(answer, row));
}

std::uint32_t rowOfOperator(const OperatorsAnswer& answer, std::size_t shown) {
    if (answer.question.by != OperatorsBy::Tree)
        return answer.outline.nodeOf(shown);
    if (!answer.work || !answer.table || shown >= answer.table->operators.size())
        return OutlineNode::kNone;
    const plot::MeasuredOperator& one = answer.table->operators[shown];
    const CallTree& tree = answer.work->tree;
    std::uint32_t best = OutlineNode::kNone;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const bool isIt = !analysis::isWork(node.kind) && tree.names[node.name] == one.name
            && tree.signatures[node.signature] == one.signature;
        if (isIt
            && (best == OutlineNode::kNone || node.sums.ownTime > tree.nodes[best].sums.ownTime))
            best = i;
    }
    return best;
}

std::uint32_t rowOfTreeNode(const OperatorsAnswer& answer, std::size_t node) {
    if (answer.question.by == OperatorsBy::Tree)
        return answer.outline.nodeOf(node);
    if (!answer.work || node >= answer.work->tree.nodes.size())
        return OutlineNode::kNone;
    const CallTree& tree = answer.work->tree;
    const auto& rows = answer.outline.nodes();
    // A kernel is told of by what launched it.
    auto at = static_cast<std::uint32_t>(node);
    if (analysis::isWork(tree.nodes[at].kind)) {
        at = tree.nodes[at].parent;
        while (
            isByOperator(answer.grouping) && at != 0 && tree.nodes[at].kind != FrameKind::Operator)
            at = tree.nodes[at].parent;
    }
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
        const std::string& signature = answer.table->operators[rows[row].source].signature;
        if (isOfRow(tree, tree.nodes[at], rows[row], signature, answer.grouping))
            return row;
    }
    return OutlineNode::kNone;
}

std::uint32_t rowOfDifference(const OperatorsAnswer& answer, std::size_t shown) {
    if (!answer.difference || shown >= answer.difference->operators.size())
        return OutlineNode::kNone;
    if (answer.question.by != OperatorsBy::Tree)
        return answer.outline.nodeOf(shown);
    const auto& one = answer.difference->operators[shown];
    const auto& frames = answer.difference->difference.frames;
    std::uint32_t best = OutlineNode::kNone;
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        const bool isIt = frames[i].name == one.name && frames[i].pass == one.pass;
        if (isIt
            && (best == OutlineNode::kNone
                || std::abs(frames[i].times.difference())
                    > std::abs(frames[best].times.difference())))
            best = i;
    }
    return best;
}

} // namespace trainscope::app
