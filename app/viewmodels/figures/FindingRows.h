#pragma once
// From the findings of a run to what the list shows. Any thread that owns the store.

#include "app/viewmodels/figures/FindingListModel.h"
#include "core/analysis/RunStudy.h"
#include "core/analysis/findings/Findings.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

#include <vector>

namespace trainscope::app {

// In the order they are shown in. Cancelled by progress.
Result<std::vector<FindingRow>> findingRows(const analysis::RunStudy& study);

// Its values with their units, which their names and the finding's metric tell.
FindingRow findingRow(const Run& run, const analysis::Finding& finding);

// Checks that are made in every run, one sentence each.
QStringList rulesLookedAt();

} // namespace trainscope::app
