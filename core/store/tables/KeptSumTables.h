#pragma once
// Sums over slices of traces that were computed once and kept. See KeptSums.h.

#include "core/store/KeptSums.h"
#include "core/store/database/Database.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::store {

// Within the caller's transaction.
Status writeSums(Database& database, const KeptSums& sums);
Status dropSums(Database& database, RunId run);
Result<std::string> readSourceState(Database& database, RunId run); // empty: no such run

Result<std::optional<Bytes>> readSumNames(Database& database, RunId run, std::int64_t basis);
Result<std::vector<SumOutline>> readOutlines(Database& database, RunId run, const SumPlace& place);
Status visitSums(Database& database, RunId run, const SumPlace& place, std::int64_t first,
    std::int64_t end, SumPart part, const SumVisitor& visit);

} // namespace trainscope::store
