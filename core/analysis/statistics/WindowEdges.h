#pragma once
// What a series does at the two ends of a window, where its samples hardly ever stand: a gauge
// holds what it showed last, power and counters lie on the line between their samples.

#include "core/model/Series.h"
#include "core/model/Time.h"
#include "core/store/Store.h"

#include <optional>

namespace trainscope::analysis {

struct WindowEdges {
    TimeRange window;
    std::optional<double> heldAtBegin; // of the last sample before; absent: there is none
    bool isHeldToEnd = false; // there are samples at or after the end
    // Between the samples on both sides; absent where one is missing, they are farther apart than
    // 10 periods, or a counter falls there.
    std::optional<double> lineAtBegin;
    std::optional<double> lineAtEnd;
};

Result<WindowEdges> windowEdges(const store::Store& store, const Series& series, TimeRange window);

} // namespace trainscope::analysis
