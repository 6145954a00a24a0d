#pragma once
// A catalogue cut into the parts of a copy, one for each node and one for what is of none: each is
// a source of the database, and what is complete stays there whatever happens to the rest.

#include "importers/engine/Catalogue.h"

#include <string>
#include <vector>

namespace trainscope::importers::engine {

struct Part {
    std::string name; // the node's
    std::string condition; // `Hostname="node-1"`; empty: all that the selection has
    std::vector<std::string> engineNames;
    std::vector<std::size_t> channels; // ascending indices of the catalogue's
};

std::vector<Part> partsOf(const Catalogue& catalogue);

} // namespace trainscope::importers::engine
