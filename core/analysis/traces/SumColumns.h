#pragma once
// Columns of whole numbers in the bytes of kept sums.

#include "core/model/Time.h"
#include "core/store/codec/BitPack.h"
#include "core/store/codec/Bytes.h"
#include "core/store/codec/IntColumn.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

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

// Rows as columns: of(row, i) → std::int64_t&, the i-th number of a row.
template <typename Row, typename Of>
void putRows(std::span<const Row> rows, std::size_t columns, Of&& of, store::Bytes& out) {
    std::vector<std::int64_t> column(rows.size());
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            Row row = rows[k];
            column[k] = of(row, i);
        }
        putColumn(column, out);
    }
}
template <typename Row, typename Of>
bool takeRows(store::ByteReader& in, std::vector<Row>& rows, std::size_t columns, Of&& of) {
    std::vector<std::int64_t> column;
    for (std::size_t i = 0; i < columns; ++i) {
        const std::uint64_t count = in.varint();
        const bool fits = i == 0 ? count <= mostRows(in.left(), columns) : count == rows.size();
        if (!in.ok() || !fits || !takeNumbers(in, count, column))
            return false;
        rows.resize(column.size());
        for (std::size_t k = 0; k < rows.size(); ++k)
            of(rows[k], i) = column[k];
    }
    return true;
}
// The columns [first, end) of what was read, which are counts and times.
template <typename Row, typename Of>
void boundColumns(std::span<Row> rows, std::size_t first, std::size_t end, Of&& of) {
    for (Row& row : rows) {
        for (std::size_t i = first; i < end; ++i)
            of(row, i) = bounded(of(row, i));
    }
}

} // namespace trainscope::analysis
