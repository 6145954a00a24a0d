#pragma once
// Weighted values and their order statistics. Exact while there are at most kMaxEntries / 2
// distinct values; beyond that, memory stays bounded by rounding the values to fewer mantissa bits,
// so that an order statistic is off by at most relativeError() of itself. Any number of values; one
// thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::analysis {

class Distribution {
public:
    static constexpr std::size_t kMaxEntries = std::size_t{1} << 21;

    explicit Distribution(std::size_t maxEntries = kMaxEntries);

    // Values without weight are ignored; NaN must not be added.
    void add(double value, std::int64_t weight);
    void add(const Distribution& other);
    void clear();

    [[nodiscard]] std::int64_t totalWeight() const { return m_totalWeight; }
    [[nodiscard]] double relativeError() const;

    // The smallest value v such that the values ≤ v weigh at least q × the total; absent when
    // empty.
    std::optional<double> quantile(double q);
    // The smallest value v such that the values ≤ v weigh at least `weight` (1 … total); absent
    // when empty.
    std::optional<double> valueAtWeight(std::int64_t weight);
    // The middle value, or the mean of the two in the middle, each value counted as often as it
    // weighs.
    std::optional<double> median();

private:
    struct Entry {
        double value;
        std::int64_t weight;
    };

    void compact();
    void roundAndMerge();
    void mergeEqual();

    std::vector<Entry> m_entries;
    std::size_t m_maxEntries;
    std::int64_t m_totalWeight = 0;
    int m_droppedBits = 0;
};

} // namespace trainscope::analysis
