#pragma once
// Causes of the waiting in a run's synchronising collectives. A collective's waiting is caused by
// the rank that started last; where that rank was late because it had waited itself, in another
// group's collective or for a message, the blame goes on to whom it had waited for. Lateness.h
// tells the reason of a late rank, from the end of the group's previous collective on (else from
// the begin of the recording). The waiting of all causes sums to the whole.
//
// WaitRounds tells a rank that causes waiting from chance, which spreads it evenly over the ranks
// that meet. Student's t judges the part beyond the even one, round by round, and of two and three
// rounds taken together, for a cause that is not in each of them. Pure.

#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/Lateness.h"

namespace trainscope::analysis {

class WaitRounds {
public:
    // Its doing, in this round.
    void add(int rank, double seconds) {
        for (Together& one : m_together)
            one.open[rank] += seconds;
    }
    // Rounds before the first doing do not count.
    void close() {
        m_closed += m_closed > 0 || !m_together.front().open.empty() ? 1U : 0U;
        for (std::size_t i = 0; i < m_together.size(); ++i) {
            if (m_closed % (i + 1) == 0)
                m_together[i].close();
        }
    }
    // True for so many ranks that meet, as one of so many questions. The round that is open does
    // not count.
    [[nodiscard]] bool isBeyondChance(
        int rank, std::size_t ranks, std::size_t questions = 1) const {
        return std::ranges::any_of(m_together, [&](const Together& one) {
            const double least = &one == &m_together.front() ? 3.0 : 4.0;
            return one.rounds >= least
                && one.isBeyondChance(rank, 1.0 / static_cast<double>(ranks), questions);
        });
    }

private:
    struct Sums {
        double seconds = 0.0;
        double squares = 0.0;
        double products = 0.0; // with the whole of the round
    };
    struct Together {
        std::map<int, double> open;
        std::map<int, Sums> ranks;
        Sums all; // whole rounds only
        double rounds = 0.0;

        void close() {
            double whole = 0.0;
            for (const auto& [rank, seconds] : open)
                whole += seconds;
            for (const auto& [rank, seconds] : open) {
                Sums& sums = ranks[rank];
                sums.seconds += seconds;
                sums.squares += seconds * seconds;
                sums.products += seconds * whole;
            }
            rounds += whole > 0.0 ? 1.0 : 0.0;
            all.seconds += whole;
            all.squares += whole * whole;
            open.clear();
        }
        // even: the part that chance gives each of those that meet
        [[nodiscard]] bool isBeyondChance(int rank, double even, std::size_t questions) const {
            constexpr double byChance = 1e-4; // for one question; half of it is on either side
            constexpr double overEven = 1.5;
            const auto own = ranks.find(rank);
            if (own == ranks.end()
                || own->second.seconds <= std::min(0.9, overEven * even) * all.seconds)
                return false;
            const Sums& sums = own->second;
            const double beyond = sums.seconds - even * all.seconds;
            const double squares = sums.squares + even * (even * all.squares - 2.0 * sums.products);
            const double variance
                = std::max(0.0, squares - beyond * beyond / rounds) / (rounds - 1.0);
            const double t
                = studentT(1.0 - byChance / static_cast<double>(questions), rounds - 1.0);
            return beyond > t * std::sqrt(variance * rounds);
        }
    };
    std::array<Together, 3> m_together; // one round, two, three
    std::size_t m_closed = 0;
};

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
    bool isBeyondChance = false; // in collectives of some kind
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
