#pragma once
// Which group a collective belongs to where the trace does not say it, by the layout of the run
// and what it does; absent where the layout leaves more than one.

#include "core/analysis/communication/GroupPlaces.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

#include <map>
#include <string>

namespace trainscope::analysis {

struct GuessedGroup {
    std::string dimension; // key of the GroupKind: "pp"
    LinkClass link = LinkClass::Unknown;
};

// By kernel category ("send_recv"); empty where the run's layout is not known. Messages are those
// of the pipeline, or of experts where there is no pipeline; all-to-alls are of experts; the others
// of the only dense group with several ranks.
Result<std::map<std::string, GuessedGroup>> guessGroups(
    const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
