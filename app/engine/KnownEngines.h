#pragma once
// The engines that this user has named: in an import, in the window, or in TRAINSCOPE_ENGINES
// (addresses with blanks between them). A database names the engine of a linked run, and whoever
// wrote it may name any, this machine's too: none is asked that the user has not named, by scheme,
// host, port and path.
//
// Kept in $XDG_CONFIG_HOME/Trainscope/engines, an address a line. Thread-safe.

#include "app/engine/HttpFetch.h"
#include "importers/engine/Link.h"

namespace trainscope::app {

// To be called where a person has given the address, not a file. The log-in is kept in memory
// alone.
void rememberEngine(const importers::engine::Address& address, const EngineAccess& access);
// The log-in that was given for the engine of a link, else the one in the environment. Refused for
// an engine that the user has not named: with who would be asked, and with what it would be told.
Result<EngineAccess> accessForLinked(const importers::engine::Link& link);

} // namespace trainscope::app
