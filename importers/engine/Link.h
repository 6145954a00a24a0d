#pragma once
// Record of a linked run in the run database: the address of the engine, the selection, and the
// numbers of nodes and GPUs, so that answers find their series. No token and no password. Pure; any
// thread.

#include "importers/engine/Asking.h"
#include "importers/engine/Catalogue.h"

namespace trainscope::importers::engine {

struct Link {
    Address address;
    Selector selector;
    Mapping mapping;
    TimeRange range;
    std::string tenant; // for engines with several; empty: none
    bool isLive = false; // it goes on until now
    std::vector<std::string> nodes;
    std::map<std::string, std::string> aliases; // names of nodes
    std::vector<FoundMetric> metrics;
};

Link linkOf(const Address& address, const Wanted& wanted, const Catalogue& catalogue, bool isLive);
std::string textOf(const Link& link); // JSON
// Whoever wrote the database wrote the link: its address, tenant, selection and labels are checked
// as if a user had typed them. Refused where one of them would not be taken.
Result<Link> linkFrom(std::string_view text);

} // namespace trainscope::importers::engine
