#include "app/engine/KnownEngines.h"

#include "core/catalogue/Tables.h"
#include "core/model/AsciiText.h"
#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>

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

std::filesystem::path listPath() {
    const std::filesystem::path folder = catalogue::configFolder();
    return folder.empty() ? folder : folder / "engines";
}

bool isListed(const std::string& url) {
    assertMayBlock("reads the list of engines");
    std::ifstream file(listPath());
    for (std::string known; std::getline(file, known);) {
        if (known == url)
            return true;
    }
    return false;
}

bool isInEnvironment(const importers::engine::Address& address) {
    const char* named = std::getenv("TRAINSCOPE_ENGINES");
    const auto all = words(named == nullptr ? "" : named, " \t\n");
    return std::ranges::any_of(all, [&address](std::string_view one) {
        const auto known = importers::engine::addressFrom(one);
        return known.hasValue() && known.value() == address;
    });
}

std::string credentialsText(const EngineAccess& access, const std::string& tenant) {
    std::vector<std::string> parts;
    if (!access.token.empty())
        parts.emplace_back("the token in TRAINSCOPE_ENGINE_TOKEN");
    if (!access.headers.empty() || !access.tenant.empty())
        parts.emplace_back("the headers in TRAINSCOPE_ENGINE_HEADERS");
    if (!tenant.empty())
        parts.push_back("the tenant \"" + tenant + "\" that the database names");
    return parts.empty() ? "without a log-in" : fmt::format("with {}", fmt::join(parts, " and "));
}

} // namespace

void rememberEngine(const importers::engine::Address& address, const EngineAccess& access) {
    {
        const std::lock_guard lock(logins().mutex);
        logins().byUrl[address.url] = access;
    }
    const std::filesystem::path path = listPath();
    if (path.empty() || isListed(address.url))
        return;
    std::error_code ignored; // told by the file that cannot be opened
    std::filesystem::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::app) << address.url << '\n';
}

Result<EngineAccess> accessForLinked(const importers::engine::Link& link) {
    {
        const std::lock_guard lock(logins().mutex);
        if (const auto given = logins().byUrl.find(link.address.url); given != logins().byUrl.end())
            return given->second;
    }
    ASSIGN_OR_RETURN(auto access, accessFrom({}));
    if (isInEnvironment(link.address) || isListed(link.address.url))
        return access;
    return Error{ErrorCode::Refused,
        fmt::format("The database links the run to {}, an engine that you have not named: nothing "
                    "has been asked there. If you agree, it is asked for what you look at, {}.",
            link.address.url,
            credentialsText(access, access.tenant.empty() ? link.tenant : std::string())),
        {}};
}

} // namespace trainscope::app
