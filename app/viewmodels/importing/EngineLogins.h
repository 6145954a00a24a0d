#pragma once
// How this window logs in to engines: said once while it is open, kept in memory alone.
// Thread-safe.

#include "app/engine/HttpFetch.h"
#include "importers/engine/Address.h"

namespace trainscope::app {

void rememberLogin(const importers::engine::Address& address, const EngineAccess& access);
// What was said, else what the environment says for engines that this user has named.
EngineAccess loginOf(const importers::engine::Address& address);

} // namespace trainscope::app
