// Kept call trees from any bytes: no crash, what is read refers only to what is there, and parts
// add up. The first two bytes say how many of the bytes are those of the paths.

#include "core/analysis/operators/CallPaths.h"
#include "core/analysis/operators/TreeMerge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

using namespace trainscope;
using namespace trainscope::analysis;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2)
        return 0;
    const std::span<const std::uint8_t> bytes(data + 2, size - 2);
    const std::size_t cut = std::min<std::size_t>(data[0] + 256U * data[1], bytes.size());
    CallPaths paths;
    if (CallPaths::decode(bytes.first(cut), paths)) {
        const CallTree tree = paths.tree();
        for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
            if (tree.nodes[i].parent >= i || tree.nodes[i].name >= tree.names.size())
                std::abort();
        }
        store::Bytes again;
        paths.encode(again);
        CallPaths second;
        if (!CallPaths::decode(again, second) || second.size() != paths.size())
            std::abort();
    }
    const auto part = decodePart(bytes.subspan(cut), paths);
    if (!part)
        return 0;
    if (!part->frames.empty() && std::cmp_greater_equal(part->frames.back().path, paths.size()))
        std::abort();
    TreeSums sums(paths);
    for (const bool isFirst : {true, false, false, false})
        sums.add(*part, isFirst);
    (void)sums.tree();
    return 0;
}
