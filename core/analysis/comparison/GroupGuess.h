#pragma once
// Which group a collective belongs to where the trace does not say it, by the layout of the run
// and what it does; absent where the layout leaves more than one.

#include "core/analysis/traces/GroupPlaces.h"
#include "core/layout/Layout.h"

#include <map>
#include <string>

namespace trainscope::analysis {

struct GuessedGroup {
    std::string dimension; // key of the GroupKind: "pp"
    LinkClass link = LinkClass::Unknown;
};

// By kernel category ("send_recv"). Messages are those of the pipeline, or of experts where there
// is no pipeline; all-to-alls are of experts; the others of the only dense group of several ranks.
std::map<std::string, GuessedGroup> guessGroups(const layout::Layout& layout);

} // namespace trainscope::analysis
