#pragma once
// Sources that come from another database: which of those that are there one of them replaces. The
// same path alone says nothing, since every node has its /var/log/dcgm.csv.

#include "core/store/Values.h"
#include "core/store/database/Database.h"

#include <string>
#include <vector>

namespace trainscope::store {

// Path and database where the source was imported, whatever it was merged into since; `uuid`: of
// the database that has it.
std::string originOf(const ImportReport& report, const std::string& path, const std::string& uuid);
// Origin of the readable part of a source from a damaged database.
std::string partOf(const std::string& origin);
// Kept with the source, so that the next merge of it is recognised.
void writeOrigin(ImportReport& report, const std::string& origin);

struct MergedPlace {
    std::string path; // its own, or one beside what only has the same path: "smi.csv (2)"
    std::vector<SourceId> earlier; // what it replaces
};
// A source is replaced by one of the same path that has the same contents or origin, or of whose
// origin it is a part, and only where no run but `runs`, which the source is of, loses anything.
// `uuid`: of `into`.
Result<MergedPlace> placeFor(Database& into, const std::string& uuid, const Source& source,
    const std::string& origin, const std::vector<RunId>& runs);

} // namespace trainscope::store
