#include "importers/engine/Address.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <array>

namespace trainscope::importers::engine {

namespace {

constexpr std::string_view kScheme = "prom+";
constexpr std::string_view kExample = "prom+http://host:9090";

bool isWebAddress(std::string_view text) {
    return text.starts_with("http://") || text.starts_with("https://");
}

bool isHostCharacter(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '.' || c == '-'
        || c == '_' || c == '[' || c == ']' || c == ':';
}

bool hasGoodPort(std::string_view authority) {
    const auto colon = authority.rfind(':');
    const auto bracket = authority.rfind(']');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket))
        return true;
    const auto port = wholeNumber<int>(authority.substr(colon + 1));
    return port && *port > 0 && *port < 65536;
}

bool isControl(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool isHeaderName(std::string_view name) {
    constexpr std::array<std::string_view, 6> own{"host", "content-length", "content-type",
        "accept-encoding", "connection", "transfer-encoding"};
    const bool isWord = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '-' || c == '_';
    });
    return isWord && std::find(own.begin(), own.end(), lowered(name)) == own.end();
}

Error wrong(std::string_view text, std::string_view why) {
    return usageError("\"" + std::string(text) + "\" is no address of a monitoring engine: "
        + std::string(why) + ". Expected is one such as " + std::string(kExample) + ".");
}

} // namespace

std::string Address::host() const {
    const std::string_view rest = std::string_view(url).substr(url.find("//") + 2);
    return std::string(rest.substr(0, rest.find('/')));
}

bool isAddress(std::string_view text) {
    return text.starts_with("prom+http://") || text.starts_with("prom+https://");
}

Result<Address> addressFrom(std::string_view text) {
    const std::string_view whole = trimmed(text);
    std::string_view url = whole;
    if (url.starts_with(kScheme))
        url.remove_prefix(kScheme.size());
    if (!isWebAddress(url))
        return wrong(whole, "it begins with neither prom+http:// nor prom+https://");
    const std::string_view rest = url.substr(url.find("//") + 2);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    if (authority.find('@') != std::string_view::npos) {
        return usageError("Names and passwords do not belong into an address, which is seen and "
                          "kept in many places; use --user and --password-file, or --token-file.");
    }
    if (authority.empty() || !std::all_of(authority.begin(), authority.end(), isHostCharacter)
        || !hasGoodPort(authority))
        return wrong(whole, "it names no host");
    if (rest.find_first_of("?# \"\\") != std::string_view::npos
        || std::any_of(rest.begin(), rest.end(), isControl))
        return wrong(whole, "a query does not belong into it");
    while (url.ends_with('/'))
        url.remove_suffix(1);
    for (const std::string_view api : {"/api/v1", "/api"}) {
        if (url.ends_with(api))
            url.remove_suffix(api.size());
    }
    return Address{std::string(url)};
}

Status checkHeader(std::string_view name, std::string_view value) {
    if (isHeaderName(name) && !value.empty() && std::none_of(value.begin(), value.end(), isControl))
        return {};
    return usageError("A header is given as NAME:VALUE, such as X-Scope-OrgID:team, on one line, "
                      "and is none of HTTP's own.");
}

} // namespace trainscope::importers::engine
