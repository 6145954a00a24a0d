#pragma once
// The engines that this user has named: in an import, or in the window. A database names the engine
// of a linked run, and whoever wrote it may name any; the token, password and headers of the
// environment go to none but those that the user has named, and to the own machine.
//
// Kept in $XDG_CONFIG_HOME/Trainscope/engines, a line "https://host:port" for each.

#include "app/engine/HttpFetch.h"

namespace trainscope::app {

// To be called where a person has given the address, not a file. What cannot be written is not
// remembered: the user is asked again.
void rememberEngine(const importers::engine::Address& address);
bool isKnownEngine(const importers::engine::Address& address);

// Credentials in the environment for an address out of a database; none for an unknown address.
Result<EngineAccess> accessForLinked(const importers::engine::Address& address);

} // namespace trainscope::app
