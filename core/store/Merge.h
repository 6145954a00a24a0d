#pragma once
// Merging run databases: what every source of one wrote is written into another, under the same
// names of runs, so that parts of one job become one run. A source that is there already, by its
// path or by its contents in that run, is replaced. Nodes of a job that nothing numbers are ordered
// by host, and a remark says so. All or nothing; but a source whose part of the other database is
// damaged is left out, with a remark.

#include "core/model/Import.h"
#include "core/store/Store.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainscope::store {

struct MergeOutcome {
    int sources = 0;
    std::int64_t samples = 0;
    std::int64_t spans = 0;
    std::vector<std::string> runs; // names in `into`, in the order of their first source
    std::vector<std::string> remarks; // for people
};

// Whether the file says that it is one of ours, of whatever version.
bool isRunDatabase(const std::filesystem::path& path);

// `nameOf` says which run of `into` a run of `from` joins. What people said of a run (tags, notes,
// layout, machine) comes along where `into` has nothing of the kind. Refused as in Writing.h.
Result<MergeOutcome> mergeInto(Store& into, const Store& from,
    const std::function<std::string(const Run&)>& nameOf, const Progress& progress);

// Runs join those of `into` that a recorder says to be of the same job and that overlap them in
// time, whatever their names; else they keep their own.
Result<std::function<std::string(const Run&)>> joinByJob(const Store& into, const Store& from);

} // namespace trainscope::store
