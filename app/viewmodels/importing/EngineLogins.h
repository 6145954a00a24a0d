#pragma once
// Logins of this window to engines: said once while it is open, kept in memory alone. Thread-safe.

#include "app/engine/HttpFetch.h"
#include "importers/engine/Address.h"

namespace trainscope::app {

void rememberLogin(const importers::engine::Address& address, const EngineAccess& access);
// The login that was said, else the one in the environment for engines that this user has named.
EngineAccess loginOf(const importers::engine::Address& address);

} // namespace trainscope::app
