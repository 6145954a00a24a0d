#pragma once
// The call tree of a stretch of a rank's time, from the sums of the parts that it consists of. One
// thread.

#include "core/analysis/operators/CallPart.h"
#include "core/analysis/operators/CallPaths.h"
#include "core/analysis/operators/CallTree.h"

#include <cstdint>
#include <vector>

namespace trainscope::analysis {

class TreeSums {
public:
    // `paths`: what the parts refer to; it may grow between them.
    explicit TreeSums(CallPaths& paths)
        : m_paths(paths) { }

    // Parts in their order; of the first, work that goes on from before counts as well.
    void add(const CallPart& part, bool isFirst);
    [[nodiscard]] CallTree tree() const;

private:
    void add(const CallPart::Work& row, std::int64_t carried);

    CallPaths& m_paths;
    std::vector<CallPart::Frame> m_frames;
    std::vector<CallPart::Work> m_works;
    std::vector<FrameSums> m_totals;
};

} // namespace trainscope::analysis
