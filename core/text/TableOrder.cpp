#include "core/text/Table.h"

#include "core/model/AsciiText.h"
#include "core/text/NaturalOrder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>

namespace trainscope::text {

namespace {

struct SortKey {
    bool isMissing = true;
    std::optional<double> number;
    std::string text;
};

// As CSV has it: there a number is a plain one. Anything else has no order among them.
SortKey keyOf(const Cell& cell) {
    SortKey key{cell.isMissing(), {}, cell.inWords({}, Digits::Four)};
    const std::string plain = cell.inCsv();
    double number = 0.0;
    const char* const end = plain.data() + plain.size();
    const auto [at, error] = std::from_chars(plain.data(), end, number);
    if (!key.isMissing && error == std::errc() && at == end && !std::isnan(number))
        key.number = number;
    return key;
}

bool isBefore(const SortKey& a, const SortKey& b) {
    if (a.number && b.number)
        return *a.number < *b.number;
    if (a.number || b.number)
        return a.number.has_value();
    return naturalOrder(lowered(a.text), lowered(b.text)) < 0;
}

} // namespace

std::vector<std::size_t> sortedRows(const Table& table, std::size_t column, bool isDescending) {
    std::vector<SortKey> keys;
    for (const auto& cells : table.rows)
        keys.push_back(column < cells.size() ? keyOf(cells[column]) : SortKey());
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (keys[a].isMissing || keys[b].isMissing)
            return !keys[a].isMissing && keys[b].isMissing;
        return isDescending ? isBefore(keys[b], keys[a]) : isBefore(keys[a], keys[b]);
    });
    return order;
}

} // namespace trainscope::text
