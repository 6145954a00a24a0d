#pragma once
// One row of a table of training runs (TrainingTable.h) as a job, or as the reason why it is none.

#include "importers/common/NamedTable.h"
#include "importers/trainingtable/TrainingTable.h"

namespace trainscope::importers::trainingtable {

TableRow readRow(const NamedRow& row, int number, const catalogue::ModelCatalogue& catalogue);

} // namespace trainscope::importers::trainingtable
