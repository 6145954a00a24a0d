#pragma once
// The address of a monitoring engine as people write it: prom+http://host:9090, prom+https://host/
// with a path in front of the API. Pure; any thread.

#include "core/model/Result.h"

#include <string>
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

} // namespace trainscope::importers::engine
