#pragma once
// `samples` and `spans` on the SQLite connection of another program, such as Python's, that has a
// run database open: what the loadable extension is made of.

#include "core/store/Query.h"

#include <functional>
#include <vector>

struct sqlite3;

namespace trainscope::store {

// The columns of `spans` that are computed above the store; what they refer to lives as long as
// the store does.
using SpanColumnsOf = std::function<std::vector<SpanColumn>(const Store& store)>;

// Rows are read by a connection of their own, so that they are those of the last commit. Refused
// where the host has opened no file, or one that is no run database of this version. One thread,
// the host's; the tables live as long as its connection.
Status addTablesTo(sqlite3* host, const SpanColumnsOf& spanColumns);

} // namespace trainscope::store
