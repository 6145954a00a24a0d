#include "core/analysis/operators/TreeFolding.h"

#include "core/analysis/operators/TreeMerge.h"

#include <map>
#include <numeric>
#include <tuple>

namespace trainscope::analysis {

namespace {

using FrameKey = std::tuple<std::uint32_t, FrameKind, StepPass, std::uint32_t, std::uint32_t>;

bool isFoldedAway(const CallNode& node, const TreeFolding& folding) {
    return (folding.python && node.kind == FrameKind::Python)
        || (folding.modules && node.kind == FrameKind::Module)
        || (folding.work && isWork(node.kind));
}

// Gives the caller the own work of a frame that is left out.
void takeOwnSums(FrameSums& caller, const FrameSums& frame) {
    caller.ownWorks += frame.ownWorks;
    caller.ownTime = caller.ownTime + frame.ownTime;
    caller.ownBusy = caller.ownBusy + frame.ownBusy;
}

} // namespace

FoldedTree foldedTree(const CallTree& tree, const TreeFolding& folding) {
    FoldedTree result{tree, std::vector<std::uint32_t>(tree.nodes.size(), 0)};
    CallTree& made = result.tree;
    auto& placeOf = result.placeOf;
    if (folding == TreeFolding()) {
        std::iota(placeOf.begin(), placeOf.end(), 0U);
        return result;
    }
    made.nodes.clear();
    std::map<FrameKey, std::uint32_t> places;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        CallNode node = tree.nodes[i];
        if (i == 0) {
            made.nodes.push_back(node);
            continue;
        }
        const std::uint32_t parent = placeOf[node.parent];
        if (isFoldedAway(node, folding)) {
            placeOf[i] = parent;
            if (!isWork(node.kind))
                takeOwnSums(made.nodes[parent].sums, node.sums);
            continue;
        }
        if (folding.signatures)
            node.signature = 0;
        node.parent = parent;
        const auto [found, isNew]
            = places.try_emplace({parent, node.kind, node.pass, node.name, node.signature},
                static_cast<std::uint32_t>(made.nodes.size()));
        placeOf[i] = found->second;
        if (isNew)
            made.nodes.push_back(node);
        else
            addSums(made.nodes[found->second], node);
    }
    return result;
}

} // namespace trainscope::analysis
