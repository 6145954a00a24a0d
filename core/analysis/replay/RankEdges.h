#pragma once
// Edges between the operations of one rank, from its trace. Pure; any thread; linear in calls and
// work but for searches.
//
//   Thread    calls of a thread, in order: recorded
//   Launch    from the begin of a call to the work that it launched, by correlation: recorded, with
//             the usual lag of idle streams; from the end of a call that is long. Work without a
//             call was launched behind the one before it in its stream: inferred
//   Stream    work of a stream, in order: assumed, with the usual gap of what had been launched
//             before. Work that reaches into the next a little is cut; where it overlaps more, both
//             follow what was ahead of them
//   Event     as recorded, else by the order of calls: a record is of the stream that its thread
//             launched to last; a wait is of the stream that it launches to next, and for the
//             record right before it, else for the latest of another stream whose work had ended.
//             Work that begins later than all this explains waits for what just ended elsewhere
//   Wait      holds the end of synchronisation, of blocking copies, of copies to the host that
//             ended in their call, of launches while the queue of launches is full
//   Graph     within one launch of a graph of kernels: as recorded, else like Stream and Event
//   Handover  from the last call of a thread to the first of another that was idle meanwhile:
//             inferred, of threads of autograd's engine, or where the other was busy most of that
//             time

#include "core/analysis/replay/RankTrace.h"

namespace trainscope::analysis {

// Fills in the edges, and cuts works short that overlap a little.
void addRankEdges(RankTrace& trace);

} // namespace trainscope::analysis
