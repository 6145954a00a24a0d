#pragma once
// Tables of whole nodes: logs of management controllers (BMC), turbostat, and RAPL's energy
// counters.
//
// Clocks: as written; turbostat's Time_Of_Day_Seconds is unix time, without it its rows follow one
// another. Units: watts, microjoules of energy_uj, megahertz and percent of turbostat.

#include "importers/meters/ColumnNames.h"

namespace trainscope::importers::meters {

extern const TableKind kBmcCsv;
extern const TableKind kTurbostat;
extern const TableKind kTurbostatCsv;
extern const TableKind kRaplCsv;

} // namespace trainscope::importers::meters
