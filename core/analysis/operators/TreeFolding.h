#pragma once
// A call tree without some of its frames: what hangs under a frame that is left out hangs under its
// nearest caller that stays, and what that caller launched through it is its own. Pure; any thread.

#include "core/analysis/operators/CallTree.h"

namespace trainscope::analysis {

struct TreeFolding {
    bool python = false; // functions of Python are left out
    bool modules = false;
    bool work
        = false; // kernels, copies and sets are left out: their sums are in what launched them
    bool signatures = false; // operators of other shapes are one frame

    bool operator==(const TreeFolding&) const = default;
};

CallTree folded(const CallTree& tree, const TreeFolding& folding);

} // namespace trainscope::analysis
