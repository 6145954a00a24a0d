#include "core/analysis/operators/TreeMerge.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/SumColumns.h"

#include <numeric>

namespace trainscope::analysis {

namespace {

// Annotations and modules stand for all that they call, whether they launch anything themselves.
bool isCountedWhole(FrameKind kind) {
    return kind == FrameKind::Annotation || kind == FrameKind::Module;
}

void fillNode(CallNode& node, const CallPart::Frame& frame, const CallPart::Work& work) {
    node.sums.busy = frame.busy + work.busy;
    node.sums.ownBusy = isWork(node.kind) ? work.busy : frame.ownBusy;
    node.sums.hostTime = frame.hostTime;
    node.sums.works = work.count;
    node.sums.time = work.time;
    if (!isWork(node.kind))
        return;
    node.sums.calls = work.count;
    node.sums.ownWorks = work.count;
    node.sums.ownTime = work.time;
    node.shortest = work.shortest;
    node.longest = work.longest;
    node.longestAt = work.longestAt;
}

void fillTotal(CallTotal& total, const FrameSums& sums) {
    total.sums = sums;
    const bool isOwn = total.of == CallTotal::Of::Operator || total.of == CallTotal::Of::Shape
        || total.of == CallTotal::Of::Pass;
    if (!isOwn)
        return;
    total.sums.ownWorks = sums.works;
    total.sums.ownTime = sums.time;
    total.sums.ownBusy = sums.busy;
}

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

void TreeSums::add(const CallPart& part, bool isFirst) {
    m_frames.resize(m_paths.size());
    m_works.resize(m_paths.size());
    m_totals.resize(m_paths.totals());
    for (const CallPart::Frame& row : part.frames)
        addRow(m_frames[static_cast<std::size_t>(row.path)], row, 1, kFrameColumns);
    for (const CallPart::Work& row : part.works)
        add(row, isFirst ? row.carried : 0);
    for (const CallPart::Total& row : part.totals) {
        FrameSums& sums = m_totals[static_cast<std::size_t>(row.total)];
        sums.calls = boundedSum(sums.calls, row.calls);
        sums.works = boundedSum(sums.works, boundedSum(row.works, isFirst ? row.carried : 0));
        sums.time = boundedSum(sums.time, row.time);
        sums.busy = boundedSum(sums.busy, row.busy);
    }
}

CallTree TreeSums::tree() const {
    CallTree tree = m_paths.tree();
    for (std::size_t i = 0; i < m_frames.size(); ++i)
        fillNode(tree.nodes[i], m_frames[i], m_works[i]);
    for (std::size_t i = tree.nodes.size(); i-- > 1;) {
        const CallNode& node = tree.nodes[i];
        FrameSums& caller = tree.nodes[node.parent].sums;
        caller.works = boundedSum(caller.works, node.sums.works);
        caller.time = boundedSum(caller.time, node.sums.time);
        if (!isWork(node.kind))
            continue;
        caller.ownWorks = boundedSum(caller.ownWorks, node.sums.works);
        caller.ownTime = boundedSum(caller.ownTime, node.sums.time);
    }
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
        CallNode& node = tree.nodes[i];
        const bool isByLaunches = node.sums.ownWorks > 0 && !isCountedWhole(node.kind);
        if (!isWork(node.kind))
            node.sums.calls = isByLaunches ? m_frames[i].launching : m_frames[i].begun;
    }
    for (std::size_t i = 0; i < m_totals.size(); ++i)
        fillTotal(tree.totals[i], m_totals[i]);
    return tree;
}

void TreeSums::add(const CallPart::Work& row, std::int64_t carried) {
    CallPart::Work& sums = m_works[static_cast<std::size_t>(row.path)];
    const bool isNew = sums.count == 0;
    sums.count = boundedSum(sums.count, boundedSum(row.count, carried));
    sums.time = boundedSum(sums.time, row.time);
    sums.busy = boundedSum(sums.busy, row.busy);
    sums.shortest = isNew ? row.shortest : std::min(sums.shortest, row.shortest);
    if (isNew || row.longest > sums.longest) {
        sums.longest = row.longest;
        sums.longestAt = row.longestAt;
    }
}

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
