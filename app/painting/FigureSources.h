#pragma once
// What a figure's file says about where its numbers come from.

#include "app/painting/FigureExport.h"
#include "core/model/Id.h"
#include "core/store/Store.h"

#include <string>
#include <utility>
#include <vector>

namespace trainscope::app {

// Fills in what `given` leaves empty: the title from the runs' names, the hashes from their
// sources.
FigureMetadata describedBy(const store::Store& store,
    const std::vector<std::pair<RunId, std::string>>& runs, FigureMetadata given);

} // namespace trainscope::app
