#pragma once
// HTTP by Qt Network for importers/engine: one thread of its own speaks with the engine, whoever
// asks waits elsewhere. Redirects are followed within the same host and port and nowhere else, so
// that a token never goes to a stranger; proxies are those of the system's settings, none for the
// own machine. Needs a QCoreApplication.

#include "core/model/Result.h"
#include "importers/engine/Address.h"
#include "importers/engine/Fetch.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::app {

// Credentials for an engine; kept in memory only.
struct EngineAccess {
    std::string token; // bearer; empty: none
    std::string user; // basic; empty: none
    std::string password;
    std::string caFile; // PEM, trusted beside the system's; empty: those alone
    std::string tenant; // X-Scope-OrgID of Mimir and its relatives; empty: none
    std::vector<std::pair<std::string, std::string>> headers; // more of them
    std::chrono::milliseconds connectTime{10'000};
    std::chrono::milliseconds silence{120'000}; // without a byte
    bool operator==(const EngineAccess&) const = default;
};

// Usage for an address, tenant, token or header that checks of importers/engine/Address.h refuse or
// for a file of certificates that holds none; Refused for a token or password that would travel
// unencrypted to another machine.
Result<std::unique_ptr<importers::engine::Fetcher>> openEngine(
    const importers::engine::Address& address, const EngineAccess& access);

// "NAME: VALUE" or "NAME:VALUE" becomes one of the headers, X-Scope-OrgID the tenant. Usage for
// anything else, and for headers that are HTTP's own.
Status addHeader(EngineAccess& access, std::string_view text);

// From files and the environment (TRAINSCOPE_ENGINE_TOKEN, TRAINSCOPE_ENGINE_PASSWORD), where
// nothing is in the file system: the first line of each. Headers also from each line of
// TRAINSCOPE_ENGINE_HEADERS.
struct AccessFiles {
    std::string tokenFile;
    std::string user;
    std::string passwordFile;
    std::string caFile;
    std::string tenant;
    std::vector<std::string> headers;
    bool operator==(const AccessFiles&) const = default;
};
Result<EngineAccess> accessFrom(const AccessFiles& files);

} // namespace trainscope::app
