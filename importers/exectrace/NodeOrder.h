#pragma once
// Operators without times laid out in their order of execution, callers around what they call.

#include "core/model/Id.h"
#include "core/model/Span.h"

#include <cstdint>
#include <vector>

namespace trainscope::importers::exectrace {

struct OrderedNode {
    std::int64_t id = 0; // ascending in order of execution
    std::int64_t parent = -1;
    std::int64_t thread = 0;
    std::int64_t ownUs = 1;
    NameId name;
    NameId detail;
    bool isKernel = false;
};

struct PlacedNode {
    std::size_t node = 0; // place in the list
    Span span;
};

// Sorts `nodes` by id. Each begins behind what came before it, takes its own time, and reaches at
// least to the end of what it calls.
std::vector<PlacedNode> placeInOrder(std::vector<OrderedNode>& nodes, TimeNs begin);

} // namespace trainscope::importers::exectrace
