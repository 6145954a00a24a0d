#pragma once
// Tells a rank that causes waiting from chance, which spreads it evenly over the ranks that meet.
// Student's t judges the part beyond the even one, round by round, and of two and three rounds
// taken together, for a cause that is not in each of them. Pure.

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

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

} // namespace trainscope::analysis
