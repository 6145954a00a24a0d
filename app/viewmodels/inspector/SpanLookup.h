#pragma once
// Everything there is to say about one span, for the inspector. Blocking; for a worker.

#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/plot/timeline/TimeTicks.h"

namespace trainscope::app {

// `detail` is the JSON object kept with a span (see core/model/Span.h); known keys get plain labels
// and units, others keep their names. Nothing for text that is not an object.
std::vector<Fact> detailFacts(std::string_view detail);

// The value of "Collective name" in it; empty: none.
std::string collectiveName(std::string_view detail);

// A span that was pointed at or stepped to.
struct SpanTarget {
    std::size_t run = 0; // index into the shown runs
    TrackId track;
    TimeNs time; // absolute, inside the span, of its rank's own clock
    int depth = 0;
    enum class Step { Here, Next, Previous } step = Step::Here;
    DurationNs reach; // distance from `time` at which a span still counts: a few pixels
    // Clocks that the run is shown with: starts and peers are told by them; nullptr: as recorded.
    std::shared_ptr<const analysis::RankClocks> clocks = {};
};

struct SpanReport {
    std::size_t run = 0;
    TrackId track;
    int rank = -1;
    Span span; // on its rank's own clock
    std::string name;
    std::vector<Fact> facts;
    QString title = {}; // head of the facts
    std::vector<plot::LaunchArrow> launches = {}; // its own, as a call or as what was launched
};

// Absent when there is no span there, or none further on.
Result<std::optional<SpanReport>> lookUpSpan(const store::Store& store,
    const TimelineCatalogue& catalogue, const SpanTarget& target, const plot::TimeContext& context,
    const std::function<bool()>& isCancelled);

} // namespace trainscope::app
