#pragma once
// Everything there is to say about one span: for the inspector. Blocking; for a worker.

#include "app/viewmodels/FactListModel.h"
#include "app/viewmodels/TimelineCatalogue.h"

#include "core/plot/TimeTicks.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::app {

// A span that was pointed at or stepped to.
struct SpanTarget {
    std::size_t run = 0; // index into the shown runs
    TrackId track;
    TimeNs time; // absolute, inside the span
    int depth = 0;
    enum class Step { Here, Next, Previous } step = Step::Here;
    DurationNs reach; // how far beside `time` a span may lie: a few pixels
};

struct SpanReport {
    std::size_t run = 0;
    TrackId track;
    int rank = -1;
    Span span;
    std::string name;
    std::vector<Fact> facts;
};

// Absent when there is no span there, or none further on.
Result<std::optional<SpanReport>> lookUpSpan(const store::Store& store,
    const TimelineCatalogue& catalogue, const SpanTarget& target, const plot::TimeContext& context,
    const std::function<bool()>& isCancelled);

} // namespace trainscope::app
