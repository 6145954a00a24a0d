#pragma once
// A small timeline made of formulas, for tests of drawing: the same on every machine, with every
// kind of lane, a GPU that failed for a while, a hole in the recording, and nested threads.

#include "core/plot/timeline/Timeline.h"

namespace trainscope::test {

struct DemoOptions {
    int nodes = 4;
    int gpusPerNode = 8;
    int columns = 400;
    int runs = 1;
};

// 60 s of iterations of 7.2 s.
plot::TimelineData demoTimeline(const DemoOptions& options = {});

} // namespace trainscope::test
