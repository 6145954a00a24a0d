#pragma once
// Which interned texts each source uses, so that those of a removed source can go when no other has
// them. Every function is part of the caller's transaction.

#include "core/model/Id.h"
#include "core/store/codec/IdSet.h"
#include "core/store/database/Database.h"

#include <functional>

namespace trainscope::store {

Status writeSourceNames(Database& database, SourceId source, const IdSet& names);
// Adds the names of the source to `names`; nothing where the list is damaged.
Status readSourceNames(Database& database, SourceId source, IdSet& names);
// Deletes those of `names` that no source in the database uses; none where a list is damaged. Runs
// `proceed` now and then; when it says false, the answer is Cancelled.
Status deleteUnusedNames(Database& database, IdSet names, const std::function<bool()>& proceed);

} // namespace trainscope::store
