#include "core/analysis/statistics/Distribution.h"

#include "core/model/Gather.h"

#include <algorithm>
#include <cmath>

#include <boost/sort/spreadsort/float_sort.hpp>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kSmall = 64; // below: sorted
constexpr int kLeastBits = 6;
constexpr int kMostBits = 11; // 16 KiB of counts, which stay in the nearest cache

bool isSmaller(const WeightedValue& a, const WeightedValue& b) {
    return a.value < b.value;
}

// Ordered as the values are.
std::uint64_t keyOf(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0); // no -0
    constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

void selectSmall(
    std::span<const WeightedValue> values, std::span<const std::int64_t> wanted, double* found) {
    std::array<WeightedValue, kSmall> sorted;
    const auto end = std::copy(values.begin(), values.end(), sorted.begin());
    std::sort(sorted.begin(), end, isSmaller);
    const WeightedValue* at = sorted.data();
    std::int64_t reached = at->weight;
    for (const std::int64_t weight : wanted) {
        while (reached < weight && at + 1 != end)
            reached += (++at)->weight;
        *found++ = at->value;
    }
}

class Buckets {
public:
    explicit Buckets(std::span<const WeightedValue> values)
        : m_values(values) {
        const auto [least, greatest] = std::minmax_element(values.begin(), values.end(), isSmaller);
        m_least = keyOf(least->value);
        m_range = keyOf(greatest->value) - m_least;
        const int bits = std::clamp(
            static_cast<int>(std::bit_width(values.size())) - 1, kLeastBits, kMostBits);
        m_shift = std::max(static_cast<int>(std::bit_width(m_range)) - bits, 0);
        m_weights.assign((std::size_t{1} << static_cast<unsigned>(bits)), 0);
        for (const WeightedValue& entry : values)
            m_weights[bucketOf(entry.value)] += entry.weight;
    }

    [[nodiscard]] bool isOneValue() const { return m_range == 0; }
    [[nodiscard]] std::int64_t weightOf(std::size_t bucket) const { return m_weights[bucket]; }
    [[nodiscard]] std::vector<WeightedValue> valuesIn(std::size_t bucket) const {
        return thoseOf(
            m_values, [&](const WeightedValue& entry) { return bucketOf(entry.value) == bucket; });
    }

private:
    [[nodiscard]] std::size_t bucketOf(double value) const {
        return static_cast<std::size_t>((keyOf(value) - m_least) >> static_cast<unsigned>(m_shift));
    }

    std::span<const WeightedValue> m_values;
    std::uint64_t m_least = 0; // key
    std::uint64_t m_range = 0; // between the least and the greatest key
    int m_shift = 0;
    std::vector<std::int64_t> m_weights;
};

// Each round leaves values whose keys share kLeastBits leading bits more, so it ends.
void select(
    std::span<const WeightedValue> values, std::span<const std::int64_t> wanted, double* found) {
    if (values.size() <= kSmall)
        return selectSmall(values, wanted, found);
    const Buckets buckets(values);
    if (buckets.isOneValue()) {
        std::fill_n(found, wanted.size(), values.front().value);
        return;
    }
    std::size_t bucket = 0;
    std::int64_t below = 0;
    while (!wanted.empty()) {
        while (below + buckets.weightOf(bucket) < wanted.front())
            below += buckets.weightOf(bucket++);
        const std::int64_t upTo = below + buckets.weightOf(bucket);
        std::vector<std::int64_t> inside;
        for (; !wanted.empty() && wanted.front() <= upTo; wanted = wanted.subspan(1))
            inside.push_back(wanted.front() - below);
        select(buckets.valuesIn(bucket), inside, found);
        found += inside.size();
    }
}

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

void selectByWeight(std::span<const WeightedValue> values, std::span<const std::int64_t> wanted,
    std::span<double> found) {
    select(values, wanted, found.data());
}

void sortByValue(std::vector<WeightedValue>& values) {
    // The difference of the bits of two signs may overflow in the library.
    const auto positive = std::partition(values.begin(), values.end(),
        [](const WeightedValue& entry) { return std::signbit(entry.value); });
    for (const auto& [first, last] :
        {std::pair(values.begin(), positive), std::pair(positive, values.end())})
        boost::sort::spreadsort::float_sort(
            first, last,
            [](const WeightedValue& entry, unsigned shift) {
                return boost::sort::spreadsort::float_mem_cast<double, std::int64_t>(entry.value)
                    >> shift;
            },
            isSmaller);
}

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

void Distribution::remember(std::size_t entry) {
    constexpr unsigned kFewestBits = 8;
    constexpr std::size_t kSlotsOfEntry = 4;
    constexpr std::size_t kMostSlots = kSlotsOfEntry * kTries;
    if (kSlotsOfEntry * entry < m_known.size() || m_known.size() >= kMostSlots) {
        m_known[slotOf(m_entries[entry].value)] = static_cast<std::uint32_t>(entry);
        return;
    }
    m_slotShift = m_known.empty() ? 64U - kFewestBits : m_slotShift - 1;
    m_known.assign(std::size_t{1} << (64U - m_slotShift), 0);
    for (std::size_t i = 0; i <= entry; ++i)
        m_known[slotOf(m_entries[i].value)] = static_cast<std::uint32_t>(i);
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

// Joins neighbours; the entries are sorted.
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
