#include "core/layout/GroupSpan.h"

#include <algorithm>
#include <array>

namespace trainscope::layout {

namespace {

int nodesOf(const Layout& layout, const std::vector<int>& ranks) {
    // Ascending ranks lie on ascending nodes.
    int nodes = 0;
    int last = -1;
    for (const int rank : ranks) {
        nodes += layout.nodeOf(rank) != last ? 1 : 0;
        last = layout.nodeOf(rank);
    }
    return nodes;
}

LinkClass linkOf(int size, int nodes) {
    if (size == 1)
        return LinkClass::None;
    return nodes == 1 ? LinkClass::ScaleUp : LinkClass::ScaleOut;
}

} // namespace

std::string_view toString(LinkClass link) {
    constexpr std::array<std::string_view, 3> names{"none", "node", "cluster"};
    return names[static_cast<std::size_t>(link)];
}

LinkClass GroupSpan::link() const {
    return linkOf(size, mostNodes);
}

GroupSpan spanOf(const Layout& layout, GroupKind kind) {
    const auto groups = layout.grid.groups(kind);
    GroupSpan span{kind, layout.grid.groupSize(kind), static_cast<int>(groups.size()),
        nodesOf(layout, groups.front()), 1};
    for (const auto& group : groups) {
        const int nodes = nodesOf(layout, group);
        span.fewestNodes = std::min(span.fewestNodes, nodes);
        span.mostNodes = std::max(span.mostNodes, nodes);
    }
    return span;
}

std::vector<RankGroup> groupsOf(const Layout& layout, int rank) {
    std::vector<RankGroup> result;
    for (const auto& info : groupKinds()) {
        auto ranks = layout.grid.groupOf(info.kind, rank);
        const auto link = linkOf(static_cast<int>(ranks.size()), nodesOf(layout, ranks));
        result.push_back({info.kind, std::move(ranks), link});
    }
    return result;
}

} // namespace trainscope::layout
