#pragma once
// Over how many nodes the groups of a layout reach, and so which links carry what they exchange.

#include "core/layout/Layout.h"

#include <vector>

namespace trainscope::layout {

enum class LinkClass {
    None, // groups of one rank
    ScaleUp, // all groups lie inside a node: NVLink, xGMI, PCIe
    ScaleOut, // some reach across nodes: InfiniBand, RoCE, Slingshot
};

std::string_view toString(LinkClass link); // "none", "node", "cluster"

// Of all groups of one kind, which are equally large.
struct GroupSpan {
    GroupKind kind;
    int size = 1;
    int groups = 1;
    int fewestNodes = 1; // that a group reaches over
    int mostNodes = 1;

    [[nodiscard]] LinkClass link() const;
};

GroupSpan spanOf(const Layout& layout, GroupKind kind);

// The groups of one rank, one of every kind in the order of groupKinds().
struct RankGroup {
    GroupKind kind;
    std::vector<int> ranks;
    LinkClass link = LinkClass::None;
};
std::vector<RankGroup> groupsOf(const Layout& layout, int rank);

} // namespace trainscope::layout
