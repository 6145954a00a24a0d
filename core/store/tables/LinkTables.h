#pragma once
// The rows of linked runs; see RunLinks.h. Every function is part of the caller's transaction.

#include "core/store/RunLinks.h"
#include "core/store/database/Database.h"

#include <span>
#include <string>
#include <vector>

namespace trainscope::store {

Result<std::vector<RunLink>> readLinks(Database& database); // by run
// `link.source` is that of an open session.
Status addLink(Database& database, const RunLink& link, std::span<const SeriesDescription> series,
    TimeRange range);
Status moveLinkEnd(Database& database, RunId run, TimeNs end);

} // namespace trainscope::store
