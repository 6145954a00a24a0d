#pragma once
// Offsets between the clocks of a run's ranks, from the collectives that they took part in
// (ClockFit.h, SequenceMatch.h). Rank 0's clock is the reference; without a trace of rank 0 it is
// the lowest rank's that has one. A rank that shares no communicator with the reference is reached
// over others, and the uncertainties of the way add up.

#include "core/analysis/RunStudy.h"

namespace trainscope::analysis {

// The clock of one rank: local time = reference time + offset + drift × (reference time −
// `reference`).
struct RankClock {
    int rank = 0;
    std::int64_t offsetNs = 0; // this rank's clock − the reference clock, at `reference`
    double driftPpm = 0.0; // this clock gains so much on the reference clock
    TimeNs reference; // on the reference clock: its rank's first span
    double uncertaintyNs = 0.0; // for the correction, up to lastCall; 0 for the reference itself
    // Uncertainty of the correction over the whole of the rank's trace: the error of the drift adds
    // up beyond the collectives.
    double traceUncertaintyNs = 0.0;
    std::int64_t collectives = 0; // collectives that the estimate rests on
    double driftErrorPpm = 0.0; // one standard deviation
    double residualNs = 0.0; // standard deviation of matched ends about the fit
    int via = -1; // the rank it was compared with; -1: the reference
    // On the reference clock, the end of the last collective that tells something of this clock.
    TimeNs lastCall = kAllTime.end;
    double growthPpm = 0.0; // growth of the uncertainty, before `reference` and after lastCall

    [[nodiscard]] TimeNs onReference(TimeNs local) const;
    [[nodiscard]] TimeNs toLocal(TimeNs onReferenceClock) const;
    [[nodiscard]] TimeRange onReference(TimeRange local) const {
        return {onReference(local.begin), onReference(local.end)};
    }
    [[nodiscard]] TimeRange toLocal(TimeRange onReferenceClock) const {
        return {toLocal(onReferenceClock.begin), toLocal(onReferenceClock.end)};
    }
    // Local time − reference time, at that local time.
    [[nodiscard]] DurationNs correctionAt(TimeNs local) const { return local - onReference(local); }

    bool operator==(const RankClock&) const = default;
};

struct UnalignedRank {
    int rank = 0;
    std::string reason; // a sentence

    bool operator==(const UnalignedRank&) const = default;
};

struct RankClocks {
    int referenceRank = -1; // -1: the run has no traced ranks
    TimeNs reference;
    std::vector<RankClock> ranks; // by rank, the reference rank among them
    std::vector<UnalignedRank> unaligned; // by rank
    DurationNs largestCorrection; // in magnitude, at the ends of the ranks' traces
    double largestUncertaintyNs = 0.0; // over times with collectives
    double largestTraceUncertaintyNs = 0.0; // over whole traces
    bool agree = true; // no rank's correction is beyond its uncertainty where there are collectives

    [[nodiscard]] const RankClock* find(int rank) const; // nullptr: not aligned
    bool operator==(const RankClocks&) const = default;
};

// At most so many calls of a rank are looked at, from its first: memory is bounded, and drift is
// straight.
inline constexpr std::size_t kMostAlignedCalls = std::size_t{1} << 16U;

// A run without traces gives no ranks. Cancelled by progress.
Result<RankClocks> alignRanks(const RunStudy& study);

} // namespace trainscope::analysis
