#pragma once
// Merges what people entered in a database into another: tags, notes, layouts, machines and saved
// comparisons. Nothing that is there already is lost or entered twice.

#include "core/model/Id.h"
#include "core/model/Result.h"
#include "core/store/database/Database.h"

#include <map>
#include <string>
#include <vector>

namespace trainscope::store {

class Store;

// `merged`: which run of `into` each run of `from` has become. Adds to `remarks`, for people.
// Within the caller's transaction.
Status mergeWords(Database& into, const Store& from, const std::map<RunId, RunId>& merged,
    std::vector<std::string>& remarks);

} // namespace trainscope::store
