#pragma once
// Linked runs: their catalogue is in the database, their samples are elsewhere. A question for
// their samples here gets an error that says so; nothing of them is ever zero or guessed. The text
// of a link, and how samples are had by it, is the business of who made it.

#include "core/model/Result.h"
#include "core/model/Series.h"

#include <span>

namespace trainscope::store {

class Store;

struct RunLink {
    SourceId source;
    RunId run;
    std::string where; // for people: "http://host:9090"
    std::string spec;
};

Result<std::vector<RunLink>> runLinks(const Store& store); // by run

// Makes the source of that path, whose import session is open, a linked one with these series; a
// part of the session's transaction. The link's source is found by the path.
Status writeLink(Store& store, const std::string& sourcePath, RunLink link,
    std::span<const SeriesDescription> series, TimeRange range);
// A linked run goes on: its series end then. Nothing where it ends later already.
Status extendLink(Store& store, RunId run, TimeNs end);

} // namespace trainscope::store
