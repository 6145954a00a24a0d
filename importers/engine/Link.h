#pragma once
// What a run database keeps of a linked run: where the engine is, what was selected, and who is
// who, so that answers find their series. No token and no password. Pure; any thread.

#include "importers/engine/Address.h"
#include "importers/engine/Catalogue.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::engine {

struct Link {
    Address address;
    Selector selector;
    Mapping mapping;
    TimeRange range;
    std::string tenant; // of engines that have several; empty: none
    bool isLive = false; // it goes on until now
    std::vector<std::string> nodes;
    std::map<std::string, std::string> aliases; // of nodes
    std::vector<FoundMetric> metrics;
};

Link linkOf(const Address& address, const Wanted& wanted, const Catalogue& catalogue, bool isLive);
std::string textOf(const Link& link); // JSON
Result<Link> linkFrom(std::string_view text);

} // namespace trainscope::importers::engine
