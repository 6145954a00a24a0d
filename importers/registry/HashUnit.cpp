#include "importers/registry/HashingTree.h"
#include "importers/registry/Registry.h"

namespace trainscope::importers {

Result<std::string> hashUnit(
    const SourceTree& tree, const ImportUnit& unit, const Progress& progress) {
    return HashingTree(tree).hashOf(unit, progress);
}

} // namespace trainscope::importers
