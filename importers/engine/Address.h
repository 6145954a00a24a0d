#pragma once
// The address of a monitoring engine as people write it: prom+http://host:9090, prom+https://host/
// with a path in front of the API. Pure; any thread.

#include "core/model/Result.h"

#include <string_view>

namespace trainscope::importers::engine {

struct Address {
    std::string url; // "http://host:9090/prefix": what /api/v1/… is put behind
    bool operator==(const Address&) const = default;
    [[nodiscard]] std::string shown() const { return "prom+" + url; }
    [[nodiscard]] std::string host() const; // "host:9090"
    [[nodiscard]] bool isEncrypted() const { return url.starts_with("https:"); }
};

bool isAddress(std::string_view text); // begins as one
// "prom+http://…", or http:// alone. Usage for anything else, and for a name or password inside:
// what is on a command line is seen by everyone on the machine and kept in its history.
Result<Address> addressFrom(std::string_view text);

// The header by which Mimir and its relatives are told the tenant.
inline constexpr std::string_view kTenantHeader = "X-Scope-OrgID";
// A header of each question, such as the tenant's. Usage for a name that is none or HTTP's own, and
// for a value that is empty or has a line end or another control character in it, which would go on
// as headers and questions of its own. The value may be a secret and is not repeated.
Status checkHeader(std::string_view name, std::string_view value);

} // namespace trainscope::importers::engine
