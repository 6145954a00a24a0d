#pragma once
// Columns of whole numbers in the bytes of kept sums.

#include "core/model/Time.h"
#include "core/store/codec/Bytes.h"
#include "core/store/codec/IntColumn.h"

#include <array>
#include <tuple>

namespace trainscope::analysis {

inline constexpr std::uint64_t kMostSumRows = std::uint64_t{1} << 21U;

// Counts and times of a file may be any; within this bound a few can be added up without a thought.
inline constexpr std::int64_t kMostSum = std::int64_t{1} << 61U;
constexpr std::int64_t bounded(std::int64_t value) {
    return std::clamp(value, -kMostSum, kMostSum);
}
constexpr std::int64_t boundedSum(std::int64_t a, std::int64_t b) {
    return bounded(bounded(a) + bounded(b));
}
constexpr DurationNs boundedSum(DurationNs a, DurationNs b) {
    return {boundedSum(a.ns, b.ns)};
}

// With its length in front.
inline void putColumn(std::span<const std::int64_t> column, store::Bytes& out) {
    store::ByteWriter(out).varint(column.size());
    store::encodeInParts(column, [&out](std::span<const std::int64_t> part) {
        store::encodeInts(part, out, store::Squeeze::No);
    });
}

// Most rows that so many bytes can hold, which exposes a small file that claims many: as columns
// are written here, without zstd, a block takes at least its width and its reference.
inline std::uint64_t mostRows(std::size_t bytes, std::size_t columns) {
    constexpr std::size_t kLeastOfBlock = 2;
    return std::min<std::uint64_t>(kMostSumRows, bytes / (kLeastOfBlock * columns) * store::kBlock);
}

// So many numbers, written by putColumn(). False: the bytes are no such column.
inline bool takeNumbers(
    store::ByteReader& in, std::uint64_t count, std::vector<std::int64_t>& column) {
    return store::decodeInParts(count, column, [&in](std::span<std::int64_t> part) {
        store::ByteReader ahead = in;
        return (ahead.u8() & store::kPlanesBit) == 0 && store::decodeInts(in, part);
    });
}
inline bool takeColumn(store::ByteReader& in, std::vector<std::int64_t>& column) {
    const std::uint64_t count = in.varint();
    return in.ok() && count <= mostRows(in.left(), 1) && takeNumbers(in, count, column);
}

// Rows as columns; of(row) → an array of the addresses of its numbers.

// The numbers of a row that is an array.
inline constexpr auto kArrayColumns = [](auto& row) {
    return std::apply([](auto&... number) { return std::array{&number...}; }, row);
};

template <typename Row, typename Of>
void putRows(std::span<const Row> rows, Of&& of, store::Bytes& out) {
    constexpr std::size_t columns = std::tuple_size_v<decltype(of(std::declval<Row&>()))>;
    std::vector<std::int64_t> column(rows.size());
    for (std::size_t i = 0; i < columns; ++i) {
        std::ranges::transform(rows, column.begin(), [&](const Row& row) { return *of(row)[i]; });
        putColumn(column, out);
    }
}
template <typename Row, typename Of>
bool takeRows(store::ByteReader& in, std::vector<Row>& rows, Of&& of) {
    constexpr std::size_t columns = std::tuple_size_v<decltype(of(std::declval<Row&>()))>;
    std::vector<std::int64_t> column;
    for (std::size_t i = 0; i < columns; ++i) {
        const std::uint64_t count = in.varint();
        const bool fits = i == 0 ? count <= mostRows(in.left(), columns) : count == rows.size();
        if (!in.ok() || !fits || !takeNumbers(in, count, column))
            return false;
        rows.resize(column.size());
        for (std::size_t k = 0; k < rows.size(); ++k)
            *of(rows[k])[i] = column[k];
    }
    return true;
}
// The numbers from the first-th on are counts and times.
template <typename Row, typename Of>
void boundRows(std::span<Row> rows, std::size_t first, Of&& of) {
    for (Row& row : rows) {
        const auto numbers = of(row);
        for (std::size_t i = first; i < numbers.size(); ++i)
            *numbers[i] = bounded(*numbers[i]);
    }
}
template <typename Row, typename Of>
void addRow(Row& sum, const Row& part, std::size_t first, Of&& of) {
    const auto sums = of(sum);
    const auto parts = of(part);
    for (std::size_t i = first; i < sums.size(); ++i)
        *sums[i] = boundedSum(*sums[i], *parts[i]);
}

// Adds a part that follows, both in the order of their first `keys` numbers. Those it carries were
// counted before, unless it is the first.
template <typename Row, typename Of>
void addRows(
    std::vector<Row>& rows, std::span<const Row> part, bool isFirst, std::size_t keys, Of&& of) {
    const auto precedes = [&](const Row& a, const Row& b) {
        const auto left = of(a);
        const auto right = of(b);
        return std::lexicographical_compare(left.begin(), left.begin() + keys, right.begin(),
            right.begin() + keys, [](const auto* x, const auto* y) { return *x < *y; });
    };
    std::vector<Row> all;
    all.reserve(rows.size() + part.size());
    auto known = rows.begin();
    for (Row row : part) {
        row.carried = isFirst ? row.carried : 0;
        for (; known != rows.end() && precedes(*known, row); ++known)
            all.push_back(*known);
        if (known != rows.end() && !precedes(row, *known))
            addRow(row, *known++, keys, of);
        all.push_back(row);
    }
    all.insert(all.end(), known, rows.end());
    rows.swap(all);
}

} // namespace trainscope::analysis
