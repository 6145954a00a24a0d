#pragma once
// The virtual tables that a query sees beside those of the file.

#include "core/store/sql/VirtualTable.h"

#include <set>

namespace trainscope::store {

// State that the tables of a connection share; must outlive it.
struct SqlPass {
    std::function<bool()> proceed; // asked between chunks; may be empty
    std::set<std::string, std::less<>> texts; // texts in the hands of SQLite

    // Cancelled after a no.
    [[nodiscard]] Status goOn() const;
    // A copy that lives as long as this.
    std::string_view lasting(std::string_view text);
};

// samples(run, metric, rank, node, device, time_ns, value, series): one row per sample, value in
// SI, NULL where missing.
TableDefinition sampleTable(SqlPass& pass);
// sample_statistics(run, metric, rank, node, device, count, missing, mean, min, max, integral,
// seconds): one row per series, as Store::statistics(); its arguments, which may be left out, are
// series.id and a window's begin and end.
TableDefinition statisticsTable(SqlPass& pass);
// spans(run, rank, device, track, name, kind, start_ns, duration_ns, depth, correlation, detail,
// track_id, stream) and the columns that are given: one row per span. `correlation` is NULL where
// there is none, `stream` of what did not run on one.
TableDefinition spanTable(SqlPass& pass, std::vector<SpanColumn> columns);

} // namespace trainscope::store
