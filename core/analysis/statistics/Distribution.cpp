#include "core/analysis/statistics/Distribution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr int kMantissaBits = 52;

// Nearest value with that many low mantissa bits zero. Carries into the exponent are right by the
// layout of IEEE 754.
double rounded(double value, int droppedBits) {
    const std::uint64_t unit = std::uint64_t{1} << droppedBits;
    const auto bits = std::bit_cast<std::uint64_t>(value) + unit / 2;
    return std::bit_cast<double>(bits & ~(unit - 1));
}

std::int64_t thresholdOf(double q, std::int64_t total) {
    // The factor keeps the rounding of q (0.99 is not a binary fraction) from asking for one ns too
    // much.
    const long double wanted
        = static_cast<long double>(q) * static_cast<long double>(total) * (1.0L - 1e-15L);
    return static_cast<std::int64_t>(std::ceil(wanted));
}

} // namespace

Distribution::Distribution(std::size_t maxEntries)
    : m_maxEntries(std::max<std::size_t>(maxEntries, 16)) { }

void Distribution::add(Distribution&& other) {
    if (m_entries.empty() && m_maxEntries == other.m_maxEntries) {
        *this = std::move(other);
        return;
    }
    m_droppedBits = std::max(m_droppedBits, other.m_droppedBits);
    std::span<const WeightedValue> rest = other.m_entries;
    while (!rest.empty()) {
        if (m_entries.size() >= m_maxEntries)
            compact();
        const std::size_t fits = std::min(rest.size(), m_maxEntries - m_entries.size());
        m_entries.insert(
            m_entries.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(fits));
        rest = rest.subspan(fits);
    }
    m_totalWeight += other.m_totalWeight;
}

void Distribution::clear() {
    m_entries.clear();
    m_repeated = 0;
    m_totalWeight = 0;
    m_droppedBits = 0;
}

double Distribution::relativeError() const {
    return m_droppedBits == 0 ? 0.0 : std::ldexp(1.0, m_droppedBits - kMantissaBits);
}

void Distribution::compact() {
    round();
    sortByValue(m_entries);
    mergeEqual();
    while (m_entries.size() > m_maxEntries / 2 && m_droppedBits < kMantissaBits) {
        ++m_droppedBits;
        round();
        mergeEqual();
    }
}

// Keeps the order.
void Distribution::round() {
    if (m_droppedBits == 0)
        return;
    for (WeightedValue& entry : m_entries)
        entry.value = rounded(entry.value, m_droppedBits);
}

// Of sorted entries.
void Distribution::mergeEqual() {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < m_entries.size(); ++i) {
        if (m_entries[kept].value == m_entries[i].value)
            m_entries[kept].weight += m_entries[i].weight;
        else
            m_entries[++kept] = m_entries[i];
    }
    if (!m_entries.empty())
        m_entries.resize(kept + 1);
}

Distribution::Quantiles Distribution::atWeights(std::int64_t lower, std::int64_t upper) const {
    if (m_entries.empty())
        return {};
    const std::array wanted = {std::clamp<std::int64_t>(lower, 1, m_totalWeight),
        std::clamp<std::int64_t>(upper, 1, m_totalWeight)};
    std::array<double, 2> found{};
    selectByWeight(m_entries, wanted, found);
    return {found[0], found[1]};
}

std::optional<double> Distribution::quantile(double q) const {
    return quantiles(q, q).lower;
}

Distribution::Quantiles Distribution::quantiles(double lower, double upper) const {
    return atWeights(thresholdOf(lower, m_totalWeight), thresholdOf(upper, m_totalWeight));
}

std::optional<double> Distribution::median() const {
    const auto [lower, upper] = atWeights((m_totalWeight + 1) / 2, m_totalWeight / 2 + 1);
    if (!lower || !upper)
        return std::nullopt;
    return *lower + (*upper - *lower) / 2.0;
}

} // namespace trainscope::analysis
