#include "core/analysis/operators/TreeSums.h"

#include "core/analysis/traces/SumColumns.h"

#include <algorithm>
#include <cstddef>

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

} // namespace

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

} // namespace trainscope::analysis
