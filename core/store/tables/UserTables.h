#pragma once
// What users add to a database: comparisons under a name, layouts of runs entered by hand, facts of
// their machines.

#include "core/store/Store.h"
#include "core/store/database/Database.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::store {

TimeNs wallClock();

// See Store for what each refuses. renameComparison: within the caller's transaction.
Result<std::vector<SavedComparison>> readComparisons(Database& database); // by name
Status saveComparison(Database& database, std::string_view name, std::string_view spec);
Status renameComparison(Database& database, std::string_view name, std::string_view wanted);
Status removeComparison(Database& database, std::string_view name);

Result<std::optional<std::string>> readEnteredLayout(Database& database, RunId run);
Status writeEnteredLayout(Database& database, RunId run, const std::optional<std::string>& spec);

Result<std::optional<std::string>> readMachine(Database& database, RunId run);
Status writeMachine(Database& database, RunId run, const std::optional<std::string>& facts);

} // namespace trainscope::store
