#include "core/store/PeriodHistogram.h"

#include <bit>
#include <cmath>

namespace trainscope::store {
namespace {

constexpr int kFractionBits = 5; // classes per octave: 32

int classOf(std::uint64_t interval) {
    const int octave = static_cast<int>(std::bit_width(interval)) - 1;
    const std::uint64_t fraction = octave >= kFractionBits
        ? interval >> static_cast<unsigned>(octave - kFractionBits)
        : interval << static_cast<unsigned>(kFractionBits - octave);
    return octave * (1 << kFractionBits)
        + static_cast<int>(fraction & ((1U << kFractionBits) - 1U));
}

} // namespace

void PeriodHistogram::add(std::int64_t interval) {
    if (interval <= 0)
        return;
    const int key = classOf(static_cast<std::uint64_t>(interval));
    if (key != m_lastKey) {
        m_last = &m_classes[key];
        m_lastKey = key;
    }
    ++m_last->count;
    m_last->sum += static_cast<double>(interval);
    ++m_total;
}

std::int64_t PeriodHistogram::median() const {
    std::int64_t below = 0;
    for (const auto& [key, entry] : m_classes) {
        below += entry.count;
        if (2 * below >= m_total && entry.count > 0)
            return static_cast<std::int64_t>(
                std::llround(entry.sum / static_cast<double>(entry.count)));
    }
    return 0;
}

} // namespace trainscope::store
