#pragma once
// From a monitoring engine into a run database: copied, node by node, each in a transaction of its
// own, so that what is complete stays and the same call goes on where it stopped; or linked, with
// the catalogue alone. Runs on the caller's thread.

#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Catalogue.h"
#include "importers/engine/Mapping.h"

#include <filesystem>

namespace trainscope::app {

struct EngineRequest {
    importers::engine::Address address;
    std::string tenant; // by which a linked run asks again; empty: none
    importers::engine::Selector selector;
    std::string from; // as it was said: "-2h"
    std::string to;
    std::optional<DurationNs> step; // absent: every sample
    importers::engine::Mapping mapping;
    std::string runName; // empty: the cluster's job, else host and begin
    bool isLinked = false;
    int questionsAtOnce = 4;
};

struct EngineProgress {
    std::string phase; // "Copying node-3"
    double fraction = 0.0; // done part of time × nodes
    std::uint64_t wireBytes = 0;
    std::int64_t samples = 0;
};
using EngineListener = std::function<bool(const EngineProgress&)>; // false stops

struct EngineOutcome {
    std::string source; // as sources are listed, without the node
    std::string runName;
    TimeRange range;
    std::size_t nodes = 0;
    std::size_t gpus = 0;
    std::size_t parts = 0; // in all
    std::size_t partsDone = 0; // now
    std::size_t partsKept = 0; // complete from an earlier call
    ImportReport report; // on the parts done now
    std::optional<Error> error; // stopped it, with some done
};

// `now` is what relative times count from. An error where nothing was done.
Result<EngineOutcome> importEngine(importers::engine::Fetcher& fetcher,
    const EngineRequest& request, const std::filesystem::path& database, TimeNs now,
    const EngineListener& listener);

} // namespace trainscope::app
