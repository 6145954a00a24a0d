#pragma once
// Tells a rank that causes waiting from chance, which spreads it evenly over the ranks that meet:
// what a rank causes beyond the even part, round by round, is held against Student's t. Pure.

#include <cstddef>
#include <map>

namespace trainscope::analysis {

class WaitRounds {
public:
    void add(int rank, double seconds) { m_open[rank] += seconds; } // its doing, in this round
    void close();
    // Of so many ranks that meet. The round that is open does not count.
    [[nodiscard]] bool isBeyondChance(int rank, std::size_t ranks) const;

private:
    struct Sums {
        double seconds = 0.0;
        double squares = 0.0;
        double products = 0.0; // with the whole of the round
    };
    std::map<int, double> m_open;
    std::map<int, Sums> m_ranks;
    Sums m_all; // of whole rounds
    double m_rounds = 0.0;
};

} // namespace trainscope::analysis
