#pragma once
// Builds the pyramid of one series from its nodes of level 1 in order of time, in one pass and
// constant memory.

#include "core/model/Result.h"
#include "core/store/samples/BucketNode.h"

#include <functional>
#include <vector>

namespace trainscope::store {

class PyramidBuilder {
public:
    // Takes the nodes of one page; firstIndex counts nodes of that level.
    using PageSink = std::function<Status(
        int level, std::int64_t firstIndex, std::span<const NodeSums> nodes)>;

    PyramidBuilder(int levels, PageSink sink);

    Status add(std::span<const NodeSums> leaves);
    Status finish();

private:
    struct Level {
        NodeSums open;
        std::int64_t children = 0; // in `open`
        std::vector<NodeSums> page;
        std::int64_t written = 0;
    };

    Status put(std::size_t level, const NodeSums& node);
    Status writePage(std::size_t level);

    std::vector<Level> m_levels;
    PageSink m_sink;
};

} // namespace trainscope::store
