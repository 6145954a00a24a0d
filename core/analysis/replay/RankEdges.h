#pragma once
// Edges between the operations of one rank, from its trace. Pure; any thread; linear in calls and
// work but for searches.
//
//   Thread    calls of a thread, in order: recorded
//   Launch    from the begin of a call to each work that it launched: recorded by correlation; its
//             lag is the usual time to a stream that was idle. From the end of a long call, as one
//             that copies from pageable memory or waits for a place in the queue
//   Stream    work of a stream, in order: assumed; its lag is the usual gap between works that had
//             been launched before. Work that begins a little before the one ahead of it ends cuts
//             that short; where it overlaps more, both follow what was ahead of them
//   Event     a stream that waits for what another had before an event was recorded: as recorded,
//             else by the order of the calls: a record is of the stream that its thread launched
//             to last; a wait is of the stream that it launches to next, and for the record right
//             before it, else for the latest record of another stream whose work had ended. Work
//             that begins later than all this explains, and just when work of another stream
//             ends, waits for that
//   Wait      calls that return when work has ended: synchronisation, blocking copies, copies to
//             the host that ended in their call, launches while the queue of launches is full
//   Graph     within one launch of a graph of kernels: as recorded, else like Stream and Event
//   Handover  from the last call of a thread to the first of another that was idle meanwhile:
//             inferred, of threads of the autograd engine, or where the other thread was busy in
//             most of that time

#include "core/analysis/replay/RankTrace.h"

namespace trainscope::analysis {

// Fills in the edges, and cuts works short that overlap a little.
void addRankEdges(RankTrace& trace);

} // namespace trainscope::analysis
