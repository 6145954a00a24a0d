#pragma once
// Launch configurations for units whose own format has none: traces and logs take those that lie in
// their run's folder, or in the one above it where that holds no other run.

#include "core/model/Import.h"
#include "importers/common/Importer.h"

#include <memory>
#include <vector>

namespace trainscope::importers {

// Fills launchFiles, and a note that names them. Importers that read launch files themselves (they
// are among the unit's files) are left alone.
void attachLaunchFiles(const SourceTree& tree, std::vector<ImportUnit>& units);

// A sink that hands everything on to `sink`, and with a run what the unit's launch files state;
// nullptr where there are none, or none can be read. `sink` must outlive it.
std::unique_ptr<Sink> launchSink(const SourceTree& tree, const ImportUnit& unit, Sink& sink);

} // namespace trainscope::importers
