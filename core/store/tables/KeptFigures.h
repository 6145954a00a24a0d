#pragma once
// Figures of runs that were computed once and kept. See RunNotes.h.

#include "core/store/RunNotes.h"
#include "core/store/database/Database.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::store {

Result<std::vector<KeptFigures>> readFigures(Database& database);
Result<std::vector<std::pair<RunId, std::string>>> readFigureBases(Database& database);
// Within the caller's transaction.
Status writeFigures(Database& database, std::span<const KeptFigures> figures);
Status dropFigures(Database& database, RunId run);

} // namespace trainscope::store
