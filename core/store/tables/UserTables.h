#pragma once
// The things that users add to a database: names of runs, comparisons, layouts entered by hand,
// facts of machines. See Store.h and Writing.h for what each says and refuses.

#include "core/model/Id.h"
#include "core/store/Values.h"
#include "core/store/database/Database.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::store {

Result<std::vector<SavedComparison>> readComparisons(Database& database); // by name
Status saveComparison(Database& database, std::string_view name, std::string_view spec);
// Within the caller's transaction.
Status renameComparison(Database& database, std::string_view name, std::string_view wanted);
Status removeComparison(Database& database, std::string_view name);

Result<std::optional<std::string>> readEnteredLayout(Database& database, RunId run);
Status writeEnteredLayout(Database& database, RunId run, const std::optional<std::string>& spec);

Result<std::optional<std::string>> readMachine(Database& database, RunId run);
Status writeMachine(Database& database, RunId run, const std::optional<std::string>& facts);

// "4,5,6,7,0,1,2,3" in the cluster's row.
Result<std::vector<int>> readAirflow(Database& database, RunId run);
Status writeAirflow(Database& database, RunId run, std::span<const int> order);

Status writeRunName(Database& database, RunId run, std::string_view name);

} // namespace trainscope::store
