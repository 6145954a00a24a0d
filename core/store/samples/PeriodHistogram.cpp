#include "core/store/samples/PeriodHistogram.h"

#include <array>
#include <bit>
#include <cmath>

namespace trainscope::store {
namespace {

constexpr int kFractionBits = 5; // classes per octave: 32
constexpr std::size_t kClasses = std::size_t{63} << kFractionBits;

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
    Class& entry = m_classes[classOf(static_cast<std::uint64_t>(interval))];
    ++entry.count;
    entry.sum += static_cast<double>(interval);
    ++m_total;
}

void PeriodHistogram::addBetween(std::span<const std::int64_t> times) {
    // Counted in a flat table first: jitter hits several classes in turn.
    std::array<std::int32_t, kClasses> counts{};
    std::array<double, kClasses> sums{};
    for (std::size_t i = 1; i < times.size(); ++i) {
        const std::int64_t interval = times[i] - times[i - 1];
        if (interval <= 0)
            continue;
        const auto key = static_cast<std::size_t>(classOf(static_cast<std::uint64_t>(interval)));
        ++counts[key];
        sums[key] += static_cast<double>(interval);
    }
    for (std::size_t key = 0; key < kClasses; ++key) {
        if (counts[key] == 0)
            continue;
        Class& entry = m_classes[static_cast<int>(key)];
        entry.count += counts[key];
        entry.sum += sums[key];
        m_total += counts[key];
    }
}

void PeriodHistogram::add(const PeriodHistogram& other) {
    for (const auto& [key, entry] : other.m_classes) {
        m_classes[key].count += entry.count;
        m_classes[key].sum += entry.sum;
    }
    m_total += other.m_total;
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
