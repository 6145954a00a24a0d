#pragma once
// The columns of the SQL table `spans` that analyses know, for queries (core/store/Query.h). Each
// is computed where a query uses it, and NULL where it is not known:
//   category      of kernels: their category (KernelCategory.h)
//   iteration     the number of the iteration in which the span begins, of those that its rank
//                 marked, else of the run's, else of the lowest rank's that marked some
//   phase         of kernels and copies: forward, backward, optimizer or compute, by what launched
//                 them (Phase.h); of communication and copies only where that tells it
//   bytes         what a collective hands in or out, whichever is larger (CollectiveKind.h), and
//                 what a copy or set moves, where the trace says it
//   communicator  of collectives: what the trace calls their process group, with its ranks
// The phase needs a pass over the device's whole trace before its first span.

#include "core/analysis/traces/KernelCategory.h"
#include "core/store/Query.h"

namespace trainscope::analysis {

// The columns refer to the store and are used by its thread; progress stops what they compute.
std::vector<store::SpanColumn> spanColumns(
    const store::Store& store, KernelCategories categories, const Progress& progress = {});

} // namespace trainscope::analysis
