// Any bytes as an archive: no crash, no name that climbs, and members that end.

#include "importers/common/ArchiveTree.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trainscope::importers;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string path = memberPath(text);
    if (path == ".." || path.starts_with("../") || path.starts_with('/')
        || path.find("/../") != std::string::npos || path.ends_with("/.."))
        std::abort();
    const auto tree = withArchives(memoryTree({{"a", text}}));
    for (const SourceFile& file : tree->files()) {
        const auto stream = tree->open(file.path);
        if (!stream.hasValue())
            continue;
        std::vector<std::byte> block(65536);
        for (int i = 0; i < 64; ++i) {
            const auto got = stream.value()->read(block);
            if (!got.hasValue() || got.value() == 0)
                break;
        }
    }
    return 0;
}
