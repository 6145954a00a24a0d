#pragma once
// Comparisons that a database keeps by name, and what has become of their runs and captures since.
// With each run its data's fingerprint is kept (of its sources' content hashes), so that a run that
// was renamed is found and one whose data is another now is told. Any thread that owns the store.

#include "app/comparing/ComparisonSettings.h"
#include "core/figures/Figure.h"
#include "core/model/Result.h"
#include "core/store/Store.h"

#include <QJsonObject>

#include <string>
#include <vector>

namespace trainscope::app {

struct SavedComparison {
    std::string name;
    QJsonObject spec; // as it is kept
    ComparisonSettings settings; // runs and moves under their present names, without what is gone
    std::vector<analysis::ComparedRun> runs; // and captures, that are there, in order
    std::vector<std::string> notes; // sentences: what is gone, renamed or imported anew
};

Result<std::vector<SavedComparison>> savedComparisons(const store::Store& store); // by name
// NotFound names those there are.
Result<SavedComparison> savedComparison(const store::Store& store, const std::string& name);

// As a figure or a report draws it; panels that are not shown are left out.
Result<figures::ComparisonBoard> savedBoard(const store::Store& store, const std::string& name);
// Those of which two or more are there and all that are there are among the chosen; none
// chosen: all.
Result<std::vector<figures::ComparisonBoard>> savedBoards(
    const store::Store& store, const std::vector<RunId>& chosen);

// Under that name, in the place of another of that name; needs a store that is open for writing.
Status saveComparison(
    store::Store& store, const std::string& name, const ComparisonSettings& settings);

} // namespace trainscope::app
