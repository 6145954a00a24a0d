#pragma once
// The columns of a log in a tree, and what people are told of them before it is read.

#include "importers/common/Importer.h"
#include "importers/meters/ColumnOrder.h"

#include <set>
#include <string>

namespace trainscope::importers::meters::smi {

// From its first lines, and from all its dates where those do not tell whether the day or the month
// comes first. `said`: by the user, where nothing tells.
Result<ColumnOrder> orderOf(
    const SourceTree& tree, const std::string& path, DateOrder said = DateOrder::Unknown);
std::set<std::string> metricsOf(const ColumnOrder& order);
// GPUs of each node.
int gpusOfNode(const ColumnOrder& order);
// Its columns as they were understood, and the doubts.
void describe(ImportUnit& unit, const ColumnOrder& order);

} // namespace trainscope::importers::meters::smi
