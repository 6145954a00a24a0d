#include "core/analysis/operators/TreeMerge.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <algorithm>

namespace trainscope::analysis {

void addSums(CallNode& into, const CallNode& node) {
    const bool isFirst = into.sums.works == 0;
    into.sums += node.sums;
    if (node.sums.works == 0)
        return;
    into.shortest = isFirst ? node.shortest : std::min(into.shortest, node.shortest);
    if (isFirst || node.longest > into.longest) {
        into.longest = node.longest;
        into.longestAt = node.longestAt;
        into.longestRank = node.longestRank;
    }
}

std::vector<std::uint32_t> TreeMerge::addTexts(
    const std::vector<std::string>& texts, std::vector<std::string>& list, Numbers& numbers) {
    std::vector<std::uint32_t> places;
    places.reserve(texts.size());
    for (const std::string& text : texts) {
        const auto next = static_cast<std::uint32_t>(list.size());
        const auto [known, isNew] = numbers.emplace(text, next);
        if (isNew)
            list.push_back(text);
        places.push_back(known->second);
    }
    return places;
}

void TreeMerge::addFacts(const CallTree& tree) {
    const bool isFirst = m_merged.nodes.empty();
    m_merged.rank = isFirst ? tree.rank : -1;
    m_merged.window = isFirst ? tree.window : spanned(m_merged.window, tree.window);
    m_merged.rankTime = m_merged.rankTime + tree.rankTime;
    m_merged.hasHost = m_merged.hasHost || tree.hasHost;
    m_merged.isOfHost = m_merged.isOfHost || tree.isOfHost;
    m_merged.hasModules = m_merged.hasModules || tree.hasModules;
    m_merged.hasShapes = m_merged.hasShapes || tree.hasShapes;
    m_merged.isFull = m_merged.isFull || tree.isFull;
}

void TreeMerge::add(const CallTree& tree) {
    if (tree.nodes.empty())
        return;
    addFacts(tree);
    const auto names = addTexts(tree.names, m_merged.names, m_names);
    const auto signatures = addTexts(tree.signatures, m_merged.signatures, m_signatures);
    std::vector<std::uint32_t> places;
    places.reserve(tree.nodes.size());
    for (CallNode node : tree.nodes) {
        node.name = names[node.name];
        node.signature = signatures[node.signature];
        if (node.parent != CallNode::kNone)
            node.parent = places[node.parent];
        places.push_back(addNode(node));
    }
    for (CallTotal total : tree.totals) {
        total.name = names[total.name];
        total.signature = signatures[total.signature];
        addTotal(total);
    }
}

std::uint32_t TreeMerge::addNode(const CallNode& node) {
    const auto next = static_cast<std::uint32_t>(m_merged.nodes.size());
    const auto [known, isNew] = m_nodes.emplace(
        NodeKey{node.parent, node.kind, node.pass, node.name, node.signature}, next);
    if (isNew) {
        m_merged.nodes.push_back(node);
        return next;
    }
    addSums(m_merged.nodes[known->second], node);
    return known->second;
}

void TreeMerge::addTotal(const CallTotal& total) {
    const auto [known, isNew] = m_totals.emplace(
        TotalKey{total.of, total.pass, total.name, total.signature}, m_merged.totals.size());
    if (isNew)
        m_merged.totals.push_back(total);
    else
        m_merged.totals[known->second].sums += total.sums;
}

} // namespace trainscope::analysis
