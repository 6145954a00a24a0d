#pragma once
// From what the user typed to a database and its runs, and to a topology file.

#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::topology {
struct TopologyFile;
}

namespace trainscope::cli {

// A file that does not exist or cannot be read is Unreadable, whatever else is wrong with it
// Refused.
Result<store::Store> openDatabase(
    const std::string& path, store::OpenMode mode = store::OpenMode::ReadOnly);

// The run of that name; else the only one whose last path components are that name ("gpt3_3_00000"
// for "sweep/gpt3/gpt3_3_00000"). NotFound names the runs there are.
Result<Run> selectRun(const store::Store& store, std::string_view name);
// The only run of the database for an empty name; Usage where there are several.
Result<Run> selectRunOrOnly(const store::Store& store, std::string_view name);
// Each of the names once, in their order; all runs for no names.
Result<std::vector<Run>> selectRuns(
    const store::Store& store, const std::vector<std::string>& names);

// A topology file, as commands take it.
Result<importers::topology::TopologyFile> readTopologyFile(const std::string& path);

} // namespace trainscope::cli
