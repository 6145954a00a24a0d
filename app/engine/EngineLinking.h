#pragma once
// Makes a linked run: the catalogue of an engine in a database, samples left where they are.

#include "app/engine/EngineImport.h"
#include "core/store/Store.h"

#include <string>

namespace trainscope::app {

// One transaction. `report` is kept with the source, completed.
Status linkEngine(store::Store& store, const EngineRequest& request,
    const importers::engine::Catalogue& catalogue, TimeRange range, const std::string& runName,
    ImportReport& report, const Progress& progress);

} // namespace trainscope::app
