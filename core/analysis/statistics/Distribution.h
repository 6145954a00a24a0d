#pragma once
// Weighted values and their order statistics.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

// Order statistics of weighted values in linear time: the values are counted into buckets by the
// leading bits in which they differ, and only the buckets that hold an answer are looked at more
// closely. Never NaN; -0 and 0 are one value. Pure; any thread.

struct WeightedValue {
    double value = 0.0;
    std::int64_t weight = 0; // > 0
};

// found[i]: the smallest value v such that the values ≤ v weigh at least wanted[i]. `wanted` is in
// ascending order, each in 1 … total weight; `values` is not empty.
void selectByWeight(std::span<const WeightedValue> values, std::span<const std::int64_t> wanted,
    std::span<double> found);

// In ascending order of value; linear beyond a few thousand.
void sortByValue(std::vector<WeightedValue>& values);

// Weighted values and their order statistics. Exact while there are at most kMaxEntries / 2
// distinct values; beyond that, memory stays bounded by rounding the values to fewer mantissa bits,
// so that an order statistic is off by at most relativeError() of itself. Any number of values; one
// thread.
class Distribution {
public:
    static constexpr std::size_t kMaxEntries = std::size_t{1} << 21;

    explicit Distribution(std::size_t maxEntries = kMaxEntries);

    // Values without weight are ignored; NaN must not be added.
    void add(double value, std::int64_t weight) {
        if (weight <= 0)
            return;
        m_totalWeight += weight;
        if (m_entries.size() > m_repeated + kTries) { // hardly any value comes again
            append({value, weight});
            return;
        }
        const std::uint32_t known = m_known.empty() ? 0 : m_known[slotOf(value)];
        if (known < m_entries.size() && m_entries[known].value == value) {
            m_entries[known].weight += weight;
            ++m_repeated;
            return;
        }
        append({value, weight});
        remember(m_entries.size() - 1);
    }
    void add(Distribution&& other);

    [[nodiscard]] std::int64_t totalWeight() const { return m_totalWeight; }
    // In no order; a value may come more than once.
    [[nodiscard]] std::span<const WeightedValue> entries() const { return m_entries; }
    [[nodiscard]] double relativeError() const;

    // The smallest value v such that the values ≤ v weigh at least q × the total; absent when
    // empty.
    [[nodiscard]] std::optional<double> quantile(double q) const { return quantiles(q, q).lower; }
    // Two at once, for little more than the price of one; lower ≤ upper.
    struct Quantiles {
        std::optional<double> lower;
        std::optional<double> upper;
    };
    [[nodiscard]] Quantiles quantiles(double lower, double upper) const;
    // The middle value, or the mean of the two in the middle, each value counted as often as it
    // weighs.
    [[nodiscard]] std::optional<double> median() const;

private:
    static constexpr std::size_t kTries = 16'384;

    [[nodiscard]] std::size_t slotOf(double value) const {
        constexpr std::uint64_t spread = 0x9E37'79B9'7F4A'7C15; // 2^64 / the golden ratio
        return static_cast<std::size_t>(
            std::bit_cast<std::uint64_t>(value) * spread >> m_slotShift);
    }
    void append(WeightedValue entry) {
        if (m_entries.size() >= m_maxEntries)
            compact();
        m_entries.push_back(entry);
    }
    void remember(std::size_t entry);
    void compact();
    void round();
    void mergeEqual();
    [[nodiscard]] Quantiles atWeights(std::int64_t lower, std::int64_t upper) const;

    std::vector<WeightedValue> m_entries;
    // Place of the last entry of a value, so that one that comes again and again takes no new
    // entry: a power of two, at least four to each entry while few values are new.
    std::vector<std::uint32_t> m_known;
    unsigned m_slotShift = 64;
    std::size_t m_repeated = 0;
    std::size_t m_maxEntries;
    std::int64_t m_totalWeight = 0;
    int m_droppedBits = 0;
};

} // namespace trainscope::analysis
