#pragma once
// Causes of the waiting in a run's synchronising collectives. A collective's waiting is caused by
// the rank that started last; where that rank was late because it had waited itself, in another
// group's collective or for a message, the blame goes on to whom it had waited for. Lateness.h
// tells the reason of a late rank, from the end of the group's previous collective on (else from
// the begin of the recording). The waiting of all causes sums to the whole.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/Lateness.h"
#include "core/model/Import.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::analysis {

struct WaitCause {
    int rank = 0; // or kNoRank
    double waitS = 0.0; // the others' waiting for this rank
    ByLateReason<double> byReasonS; // sums to waitS
    double certainS = 0.0; // part of waitS with a lateness beyond the clocks' uncertainty
    double exposedS = 0.0; // part of waitS while the waiting rank computed nothing
    std::int64_t collectives = 0; // in which it came last and others waited
    double aloneS = 0.0; // part of waitS that would be gone had it come with the next-to-last
    std::map<int, double> besideS; // remaining wait, by the rank that came next to last
    std::map<int, double> throughS; // part of waitS, by the rank that came last after it had waited
    std::map<std::string, double> byCollectiveS; // waitS by kind: "AllReduce along dp"
    std::string kernel; // the one that exceeds the others' time most; empty: none
    double kernelS = 0.0; // part of waitS by that kernel, where this rank was last itself
    TimeRange worst; // costliest collective and the time before it; clock of `worstRank`
    int worstRank = -1; // rank late in it: this one, if it was late itself
    double worstS = 0.0; // part of waitS in that collective
    bool isBeyondChance = false; // in collectives of some kind (WaitRounds.h)
};

// The part of a cause in the collectives of one kind along one dimension.
struct CollectiveCause {
    std::string collective; // "AllReduce along dp"
    int rank = 0; // or kNoRank
    double waitS = 0.0;
    ByLateReason<double> byReasonS; // sums to waitS
    double certainS = 0.0;
    bool isBeyondChance = false; // over the whole of the recording
    std::string kernel; // as of WaitCause
    std::vector<int> path; // in the costliest: from the rank to that which came last
    std::vector<int> victims; // ranks that waited in it
    TimeRange worst; // the costliest and the time before it, common clock
    double worstS = 0.0;
};

// Time of a rank that costs nothing beyond the lateness of another: it waited for it. For the rank
// that was late itself: its idle time beyond the others'.
struct LostTime {
    std::map<std::string, double> exposedByKindS; // "all_reduce"
    double idleS = 0.0; // nothing ran, before or instead of the wait
    double hostS = 0.0; // part of idleS spent waiting for the host

    [[nodiscard]] double exposedS() const;
};

struct WaitCauses {
    double waitS = 0.0; // over all ranks in synchronising collectives
    std::vector<WaitCause> causes; // by waitS, most first
    std::vector<CollectiveCause> collectives; // by waitS, most first; sums to waitS
    std::map<std::pair<int, int>, LostTime> lost; // by the rank and the rank whose doing it is
};

// Causes in the collectives that end in the window, which is on the common clock; the reasons for
// late ranks may lie before it. Linear in the trace; memory is bounded: causes that are too small
// to be followed are joined, and of a rank's earlier waits the last 1,024 are known. Cancelled by
// progress.
Result<WaitCauses> waitCauses(
    const RunStudy& study, const RankClocks& clocks, TimeRange window = kAllTime);

} // namespace trainscope::analysis
