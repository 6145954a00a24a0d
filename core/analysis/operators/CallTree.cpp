#include "core/analysis/operators/CallTree.h"

namespace trainscope::analysis {

FrameSums& FrameSums::operator+=(const FrameSums& other) {
    calls += other.calls;
    works += other.works;
    time = time + other.time;
    busy = busy + other.busy;
    ownWorks += other.ownWorks;
    ownTime = ownTime + other.ownTime;
    ownBusy = ownBusy + other.ownBusy;
    hostTime = hostTime + other.hostTime;
    return *this;
}

CallChildren childrenOf(const CallTree& tree) {
    CallChildren result;
    result.first.assign(tree.nodes.size() + 1, 0);
    for (std::size_t i = 1; i < tree.nodes.size(); ++i)
        ++result.first[tree.nodes[i].parent + 1];
    for (std::size_t i = 1; i < result.first.size(); ++i)
        result.first[i] += result.first[i - 1];
    result.children.resize(tree.nodes.empty() ? 0 : tree.nodes.size() - 1);
    std::vector<std::uint32_t> next(result.first.begin(), result.first.end());
    for (std::size_t i = 1; i < tree.nodes.size(); ++i)
        result.children[next[tree.nodes[i].parent]++] = static_cast<std::uint32_t>(i);
    return result;
}

} // namespace trainscope::analysis
