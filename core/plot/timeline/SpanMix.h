#pragma once
// The mix of kernels in groups that merge several, so that a bar of many short ones shows them all.

#include "core/plot/timeline/Timeline.h"

namespace trainscope::plot {

// The mix of each of the groups that merges several spans, by name. `finer` are groups, or single
// spans, of the same track; those as wide as `width` are groups of their own. Both in order of
// begin.
std::vector<SpanMix> mixesOf(const std::vector<store::LodNode>& groups,
    const std::vector<store::LodNode>& finer, DurationNs width);

// Joins the parts of one category, in the order of legends, where the names are known.
void joinCategories(TimelineData& data);

} // namespace trainscope::plot
