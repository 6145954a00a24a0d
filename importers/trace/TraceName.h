#pragma once
// What the name of a trace file says: its rank and which other files look like its siblings. Names
// seen: rank-0, rank_0, rank0, megatron_kineto_3.json, worker0.<ms>.pt.trace.json,
// <host>_<pid>.<ns>.pt.trace.json, and a parent folder per rank (result/1/...).

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

// The file's name without folders and without .gz, .zst, .json, .trace, .pt, .sqlite, .db, .csv.
std::string_view traceStem(std::string_view path);

struct NamedRank {
    int rank = 0;
    std::size_t begin = 0; // of the marker in the stem
};
std::optional<NamedRank> rankInStem(std::string_view stem);

// The rank that a folder of one rank's files is called by: "3", "rank3", "rank_3".
std::optional<int> rankOfFolder(std::string_view folderName);

// Equal for files that differ in numbers only: ranks, process ids, time stamps, container ids.
std::string stemPattern(std::string_view stem);

// The stem up to its rank marker, for naming the run that several files form.
std::string stemWithoutRank(std::string_view stem);

} // namespace trainscope::importers
