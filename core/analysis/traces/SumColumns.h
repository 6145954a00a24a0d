#pragma once
// Columns of whole numbers in the bytes of kept sums.

#include "core/store/codec/Bytes.h"
#include "core/store/codec/IntColumn.h"

#include <cstdint>
#include <span>
#include <vector>

namespace trainscope::analysis {

inline constexpr std::uint64_t kMostSumRows = std::uint64_t{1} << 26U;

// With its length in front.
inline void putColumn(std::span<const std::int64_t> column, store::Bytes& out) {
    store::ByteWriter(out).varint(column.size());
    store::encodeInParts(column, [&out](std::span<const std::int64_t> part) {
        store::encodeInts(part, out, store::Squeeze::No);
    });
}

// False: the bytes are no such column.
inline bool takeColumn(store::ByteReader& in, std::vector<std::int64_t>& column) {
    const std::uint64_t count = in.varint();
    return in.ok() && count <= kMostSumRows
        && store::decodeInParts(count, column,
            [&in](std::span<std::int64_t> part) { return store::decodeInts(in, part); });
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
        if (!takeColumn(in, column) || (i > 0 && column.size() != rows.size()))
            return false;
        rows.resize(column.size());
        for (std::size_t k = 0; k < rows.size(); ++k)
            of(rows[k], i) = column[k];
    }
    return true;
}

} // namespace trainscope::analysis
