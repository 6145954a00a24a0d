#pragma once
// A call tree without some of its frames: what hangs under a frame that is left out hangs under its
// nearest caller that stays, and what that caller launched through it is its own. Pure; any thread.

#include "core/analysis/operators/CallTree.h"

#include <cstdint>
#include <vector>

namespace trainscope::analysis {

struct TreeFolding {
    bool python = false; // functions of Python are left out
    bool modules = false;
    bool work
        = false; // kernels, copies and sets are left out: their sums are in what launched them
    bool signatures = false; // operators of other shapes are one frame

    bool operator==(const TreeFolding&) const = default;
};

struct FoldedTree {
    CallTree tree;
    // By node of the whole tree: its node here, of one that is left out the nearest caller's.
    std::vector<std::uint32_t> placeOf;
};
FoldedTree foldedTree(const CallTree& tree, const TreeFolding& folding);

} // namespace trainscope::analysis
