#pragma once
// The order of a table's rows by one of its columns. Pure; any thread.

#include "core/text/Table.h"

#include <cstddef>
#include <vector>

namespace trainscope::text {

// The rows' places: numbers and lengths of time by their value, before texts, which go in their
// natural order: rank 2 before rank 10; cells without a value come last either way. Equal ones stay
// as they were.
std::vector<std::size_t> sortedRows(const Table& table, std::size_t column, bool isDescending);

} // namespace trainscope::text
