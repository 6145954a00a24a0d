#pragma once
// The virtual table samples(run, metric, rank, node, device, time_ns, value, series): one row per
// sample, value in SI, NULL where missing. Narrowed by =, and by ranges of time_ns.

#include "core/store/sql/VirtualTable.h"

namespace trainscope::store {

TableDefinition sampleTable();

} // namespace trainscope::store
