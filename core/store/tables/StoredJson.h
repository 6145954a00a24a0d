#pragma once
// The JSON texts inside the database: the report of a source, and what a source said of a run.

#include "core/model/Import.h"

namespace trainscope::store {

std::string reportToJson(const ImportReport& report);
// Fields that are absent, of another type or out of range keep their defaults.
ImportReport reportFromJson(std::string_view text);

// Name, id, range and counts are not part of it.
std::string factsToJson(const Run& run);
Run factsFromJson(std::string_view text);

// Fills what `known` does not say yet from `more`.
void fillRun(Run& known, const Run& more);

} // namespace trainscope::store
