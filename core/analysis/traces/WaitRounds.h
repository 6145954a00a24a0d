#pragma once
// Tells a rank that causes waiting from chance. Chance spreads what is waited evenly over the ranks
// that meet, so that the part of a rank, round by round, less the even part has a mean of 0: what
// it is beyond that is held against Student's t. Pure; memory grows with the ranks.

#include <cstdint>
#include <map>
#include <set>
#include <span>

namespace trainscope::analysis {

class WaitRounds {
public:
    void add(int rank, double seconds) { m_open[rank] += seconds; } // its doing, in this round
    void close();

    // Of `ranks` ranks that meet. The round that is open does not count.
    [[nodiscard]] bool isBeyondChance(int rank, std::size_t ranks) const;

private:
    struct Sums {
        double seconds = 0.0;
        double squares = 0.0;
        double products = 0.0; // with the whole of the round
    };
    std::map<int, double> m_open;
    std::map<int, Sums> m_ranks;
    std::int64_t m_rounds = 0;
    Sums m_all; // of the whole rounds
};

// Rounds of the collectives of one kind along one dimension: in one round each communicator meets
// once, and the steps are rounds too, where they are known.
class WaitChance {
public:
    // The collective that the parts of ranks, told next, are of.
    void begin(std::uint32_t communicator, std::span<const int> ranks, std::int64_t step);
    void add(int rank, double seconds);
    // Closes what is open.
    void finish();

    [[nodiscard]] bool isBeyond(int rank) const;

private:
    WaitRounds m_meetings;
    WaitRounds m_steps;
    std::set<std::uint32_t> m_met; // communicators, in this round
    std::set<int> m_ranks;
    std::int64_t m_step = -1;
};

} // namespace trainscope::analysis
