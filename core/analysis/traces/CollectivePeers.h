#pragma once
// The other ranks' parts of a collective. A collective's kernel runs on every rank of its process
// group, and the part that starts last keeps the others waiting, so comparing the starts shows who
// was late. Matching: kernels of one name in one process group run in the same order on all of its
// ranks. The k-th of a rank is the k-th of its peers where all have recorded equally many, else the
// one that ends nearest (all parts end together).

#include "core/model/Run.h"
#include "core/model/Span.h"
#include "core/store/Store.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct CollectivePeer {
    int rank = -1;
    TrackId track;
    Span span;
};

struct CollectivePeers {
    std::string kernel; // its name
    std::string collective; // "allreduce", as the trace names it; empty: not said
    std::string group; // name of the process group; empty: not said
    std::vector<int>
        groupRanks; // as the trace says; empty: not said, then all traced ranks are peers
    std::vector<CollectivePeer> peers; // by rank, the one asked for among them
    std::vector<int> missingRanks; // of groupRanks, those without a trace or a match
    int lastRank = -1; // the part that started last
    DurationNs startSpread; // from the first start to the last
};

// Absent for a span that is no communication kernel. `track`: the one that `span` lies on.
// `onOneClock` puts a time of a rank's own clock on one that all share; then the peers' times are
// of that. Without it they are as recorded.
using OnOneClock = std::function<TimeNs(int rank, TimeNs own)>;
Result<std::optional<CollectivePeers>> collectivePeers(const store::Store& store, const Run& run,
    TrackId track, const Span& span, const OnOneClock& onOneClock = {});

} // namespace trainscope::analysis
