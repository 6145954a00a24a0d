#include "core/store/samples/PyramidBuilder.h"

#include <algorithm>
#include <utility>

namespace trainscope::store {

PyramidBuilder::PyramidBuilder(int levels, PageSink sink)
    : m_levels(static_cast<std::size_t>(std::max(levels, 0)))
    , m_sink(std::move(sink)) { }

Status PyramidBuilder::add(std::span<const NodeSums> leaves) {
    if (m_levels.empty())
        return {};
    for (const NodeSums& leaf : leaves) {
        if (Status status = put(0, leaf); !status.hasValue())
            return status;
    }
    return {};
}

Status PyramidBuilder::put(std::size_t index, const NodeSums& node) {
    Level& level = m_levels[index];
    level.page.push_back(node);
    if (level.page.size() == kPageNodes) {
        if (Status status = writePage(index); !status.hasValue())
            return status;
    }
    if (index + 1 == m_levels.size())
        return {};
    Level& parent = m_levels[index + 1];
    if (parent.children++ == 0)
        parent.open = node;
    else
        parent.open.append(node);
    if (parent.children < kFanout)
        return {};
    parent.children = 0;
    return put(index + 1, parent.open);
}

Status PyramidBuilder::finish() {
    for (std::size_t index = 0; index < m_levels.size(); ++index) {
        Level& level = m_levels[index];
        if (std::exchange(level.children, 0) > 0) {
            if (Status status = put(index, level.open); !status.hasValue())
                return status;
        }
        if (!level.page.empty()) {
            if (Status status = writePage(index); !status.hasValue())
                return status;
        }
    }
    return {};
}

Status PyramidBuilder::writePage(std::size_t index) {
    Level& level = m_levels[index];
    Status status = m_sink(static_cast<int>(index) + 1, level.written, level.page);
    level.written += static_cast<std::int64_t>(level.page.size());
    level.page.clear();
    return status;
}

} // namespace trainscope::store
