#pragma once
// Monitoring engines as sources of `trainscope-cli import`: prom+http://… is copied or linked
// (app/engine/EngineImport.h), and what came of it is the outcome of an import.

#include "app/cli/commands/RemoteSources.h"

#include <memory>

namespace trainscope::cli {

std::shared_ptr<RemoteSources> remoteEngines();

} // namespace trainscope::cli
