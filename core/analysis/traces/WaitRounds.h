#pragma once
// Tells a rank that causes waiting from chance, which spreads it evenly over the ranks that meet:
// what a rank causes beyond the even part, round by round, is held against Student's t. Pure.

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace trainscope::analysis {

class WaitRounds {
public:
    void add(int rank, double seconds) { m_open[rank] += seconds; } // its doing, in this round
    void close() {
        double whole = 0.0;
        for (const auto& [rank, seconds] : m_open)
            whole += seconds;
        for (const auto& [rank, seconds] : m_open) {
            Sums& sums = m_ranks[rank];
            sums.seconds += seconds;
            sums.squares += seconds * seconds;
            sums.products += seconds * whole;
        }
        m_rounds += whole > 0.0 ? 1.0 : 0.0;
        m_all.seconds += whole;
        m_all.squares += whole * whole;
        m_open.clear();
    }
    // True for so many ranks that meet. The round that is open does not count.
    [[nodiscard]] bool isBeyondChance(int rank, std::size_t ranks) const {
        constexpr double leastRounds = 3.0;
        constexpr double notByChance = 0.9999; // chance exceeds it once in 20,000
        constexpr double overEven = 1.5;
        const auto own = m_ranks.find(rank);
        if (own == m_ranks.end() || m_rounds < leastRounds)
            return false;
        const Sums& sums = own->second;
        const double even = 1.0 / static_cast<double>(ranks);
        const double beyond = sums.seconds - even * m_all.seconds;
        const double squares = sums.squares + even * (even * m_all.squares - 2.0 * sums.products);
        const double variance
            = std::max(0.0, squares - beyond * beyond / m_rounds) / (m_rounds - 1.0);
        return sums.seconds > std::min(0.9, overEven * even) * m_all.seconds
            && beyond > studentT(notByChance, m_rounds - 1.0) * std::sqrt(variance * m_rounds);
    }

private:
    struct Sums {
        double seconds = 0.0;
        double squares = 0.0;
        double products = 0.0; // with the whole of the round
    };
    std::map<int, double> m_open;
    std::map<int, Sums> m_ranks;
    Sums m_all; // whole rounds only
    double m_rounds = 0.0;
};

} // namespace trainscope::analysis
