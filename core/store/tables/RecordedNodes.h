#pragma once
// Recordings of the nodes of one job that nothing numbers (ssh without --node): each says that it
// is node 0. In the run that they join, host names order them.

#include "core/model/Id.h"
#include "core/model/Result.h"
#include "core/store/database/Database.h"

#include <string>

namespace trainscope::store {

// Gives nodes and ranks of their own to recordings of that run that claim the same ranks on other
// hosts, or with other GPUs of one host: ordered by the number that each has, by host, then by its
// first GPU. A part of the caller's transaction, any number of times. The answer says which host
// became which node; empty: nothing claims the same.
Result<std::string> orderRecordedNodes(Database& database, RunId run);

} // namespace trainscope::store
