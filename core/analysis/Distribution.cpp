#include "core/analysis/Distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

void Distribution::add(double value, std::int64_t weight) {
    if (weight <= 0)
        return;
    m_totalWeight += weight;
    if (!m_entries.empty() && m_entries.back().value == value) {
        m_entries.back().weight += weight;
        return;
    }
    if (m_entries.size() >= m_maxEntries)
        compact();
    m_entries.push_back({value, weight});
}

void Distribution::add(const Distribution& other) {
    m_droppedBits = std::max(m_droppedBits, other.m_droppedBits);
    for (const Entry& entry : other.m_entries)
        add(entry.value, entry.weight);
}

void Distribution::clear() {
    m_entries.clear();
    m_totalWeight = 0;
    m_droppedBits = 0;
}

double Distribution::relativeError() const {
    return m_droppedBits == 0 ? 0.0 : std::ldexp(1.0, m_droppedBits - kMantissaBits);
}

void Distribution::compact() {
    roundAndMerge();
    while (m_entries.size() > m_maxEntries / 2 && m_droppedBits < kMantissaBits) {
        ++m_droppedBits;
        roundAndMerge();
    }
}

void Distribution::roundAndMerge() {
    if (m_droppedBits > 0) {
        for (Entry& entry : m_entries)
            entry.value = rounded(entry.value, m_droppedBits);
    }
    mergeEqual();
}

void Distribution::mergeEqual() {
    std::sort(m_entries.begin(), m_entries.end(),
        [](const Entry& a, const Entry& b) { return a.value < b.value; });
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

std::optional<double> Distribution::quantile(double q) {
    return valueAtWeight(thresholdOf(q, m_totalWeight));
}

// Quickselect by weight: linear in the number of entries, where sorting would not be.
std::optional<double> Distribution::valueAtWeight(std::int64_t weight) {
    if (m_entries.empty())
        return std::nullopt;
    weight = std::clamp<std::int64_t>(weight, 1, m_totalWeight);
    auto first = m_entries.begin();
    auto last = m_entries.end();
    const auto weightOf = [](auto from, auto to) {
        std::int64_t sum = 0;
        for (; from != to; ++from)
            sum += from->weight;
        return sum;
    };
    while (last - first > 1) {
        const double a = first->value;
        const double b = (first + (last - first) / 2)->value;
        const double c = (last - 1)->value;
        const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
        const auto equal
            = std::partition(first, last, [pivot](const Entry& e) { return e.value < pivot; });
        const auto greater
            = std::partition(equal, last, [pivot](const Entry& e) { return !(pivot < e.value); });
        const std::int64_t below = weightOf(first, equal);
        if (weight <= below) {
            last = equal;
            continue;
        }
        const std::int64_t upTo = below + weightOf(equal, greater);
        if (weight <= upTo)
            return pivot;
        weight -= upTo;
        first = greater;
    }
    return first->value;
}

std::optional<double> Distribution::median() {
    const auto lower = valueAtWeight((m_totalWeight + 1) / 2);
    const auto upper = valueAtWeight(m_totalWeight / 2 + 1);
    if (!lower || !upper)
        return std::nullopt;
    return *lower + (*upper - *lower) / 2.0;
}

} // namespace trainscope::analysis
