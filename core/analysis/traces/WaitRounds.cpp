#include "core/analysis/traces/WaitRounds.h"

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

// Of ranks that are late by chance alone one in 20,000 is beyond it.
constexpr double kNotByChance = 0.9999;
constexpr double kOverEvenPart = 1.5;
constexpr std::int64_t kLeastRounds = 3;

} // namespace

void WaitRounds::close() {
    double whole = 0.0;
    for (const auto& [rank, seconds] : m_open)
        whole += seconds;
    if (whole > 0.0) {
        ++m_rounds;
        m_all.seconds += whole;
        m_all.squares += whole * whole;
        for (const auto& [rank, seconds] : m_open) {
            Sums& sums = m_ranks[rank];
            sums.seconds += seconds;
            sums.squares += seconds * seconds;
            sums.products += seconds * whole;
        }
    }
    m_open.clear();
}

bool WaitRounds::isBeyondChance(int rank, std::size_t ranks) const {
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end() || m_rounds < kLeastRounds || ranks < 2)
        return false;
    const Sums& own = found->second;
    const auto rounds = static_cast<double>(m_rounds);
    const double even = 1.0 / static_cast<double>(ranks);
    if (own.seconds <= std::min(0.9, kOverEvenPart * even) * m_all.seconds)
        return false;
    const double beyond = own.seconds - even * m_all.seconds;
    const double squares = own.squares - 2.0 * even * own.products + even * even * m_all.squares;
    const double variance = std::max(0.0, (squares - beyond * beyond / rounds) / (rounds - 1.0));
    return beyond > studentT(kNotByChance, rounds - 1.0) * std::sqrt(variance * rounds);
}

void WaitChance::begin(std::uint32_t communicator, std::span<const int> ranks, std::int64_t step) {
    if (!m_met.insert(communicator).second) {
        m_meetings.close();
        m_met = {communicator};
    }
    if (step > m_step) {
        m_steps.close();
        m_step = step;
    }
    m_ranks.insert(ranks.begin(), ranks.end());
}

void WaitChance::add(int rank, double seconds) {
    m_meetings.add(rank, seconds);
    m_steps.add(rank, seconds);
}

void WaitChance::finish() {
    m_meetings.close();
    m_steps.close();
}

bool WaitChance::isBeyond(int rank) const {
    return m_meetings.isBeyondChance(rank, m_ranks.size())
        || m_steps.isBeyondChance(rank, m_ranks.size());
}

} // namespace trainscope::analysis
