#include "app/viewmodels/importing/EngineLogins.h"

#include "app/engine/KnownEngines.h"

#include <map>
#include <mutex>
#include <string>

namespace trainscope::app {

namespace {

struct Logins {
    std::mutex mutex;
    std::map<std::string, EngineAccess> byUrl;
};

Logins& logins() {
    static Logins all;
    return all;
}

} // namespace

void rememberLogin(const importers::engine::Address& address, const EngineAccess& access) {
    const std::lock_guard lock(logins().mutex);
    logins().byUrl[address.url] = access;
    rememberEngine(address);
}

EngineAccess loginOf(const importers::engine::Address& address) {
    const std::lock_guard lock(logins().mutex);
    const auto said = logins().byUrl.find(address.url);
    return said == logins().byUrl.end() ? accessForLinked(address).valueOr({}) : said->second;
}

} // namespace trainscope::app
