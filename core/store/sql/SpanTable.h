#pragma once
// The virtual table spans(run, rank, device, track, name, kind, start_ns, duration_ns, depth,
// correlation, detail, track_id): one row per span. Narrowed by = on run, rank, device, track,
// track_id and name, and by ranges of start_ns.

#include "core/store/sql/VirtualTable.h"

namespace trainscope::store {

TableDefinition spanTable();

} // namespace trainscope::store
