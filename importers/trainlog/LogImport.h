#pragma once
// One training log from open to end: into a sink, or as the work that it speaks of.

#include "importers/common/Importer.h"

namespace trainscope::importers::trainlog {

Result<ImportReport> importLog(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress);

// Most pieces of a log's work: like iterations that follow each other are one.
inline constexpr std::size_t kMostPieces = 100'000;
Result<analysis::LoggedWork> workOf(
    const SourceTree& tree, const ImportUnit& unit, const Progress& progress);

} // namespace trainscope::importers::trainlog
