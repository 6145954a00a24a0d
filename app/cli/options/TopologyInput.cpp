#include "app/cli/options/TopologyInput.h"

#include "core/model/Try.h"
#include "importers/common/Source.h"

namespace trainscope::cli {

Result<importers::topology::TopologyFile> readTopologyFile(const std::string& path) {
    constexpr std::size_t kLargest = std::size_t{64} << 20;
    const auto tree = importers::openDiskTree(path);
    if (!tree.hasValue())
        return Error{ErrorCode::Unreadable, tree.error().message, tree.error().where};
    const auto& files = tree.value()->files();
    if (files.size() != 1)
        return Error{ErrorCode::Unreadable, "A topology is a single file.", path};
    ASSIGN_OR_RETURN(
        const auto text, importers::readHead(*tree.value(), files.front().path, kLargest));
    return importers::topology::readTopology(text, path);
}

} // namespace trainscope::cli
