#pragma once
// Tags and notes that people give to runs. See RunNotes.h for what is kept.

#include "core/store/RunNotes.h"
#include "core/store/database/Database.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::store {

Result<std::vector<RunLabels>> readLabels(Database& database);
// Within the caller's transaction.
Status writeTags(Database& database, RunId run, std::span<const std::string> tags);
Status writeNote(Database& database, RunId run, std::string_view note);
Status changeLabels(Database& database, std::span<const RunId> runs, const Relabel& relabel);

} // namespace trainscope::store
