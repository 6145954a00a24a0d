#pragma once
// Collectives of PyTorch's flight recorder that did not come to an end because the ranks of their
// process group were not all there, or called something else under the same number.

#include "core/analysis/RunStudy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainscope::analysis {

inline constexpr std::string_view kFlightProcess = "flight recorder"; // process name of its tracks

struct UnreachedCollective {
    std::string collective; // "all_reduce"
    std::string group; // name of the process group
    std::string description; // "mesh_tp"; may be empty
    std::int64_t sequence = 0; // number of the collective in its group
    std::vector<int> waiting; // ranks that are in it
    std::vector<int> missing; // ranks whose dump ends before it
    std::vector<int> unknown; // without a dump
    std::vector<int> different; // in another collective, or of other sizes, under its number
    TimeRange range; // waiting time

    bool operator==(const UnreachedCollective&) const = default;
};

// The first of each process group, by group. Two groups of one name are two where their lists of
// ranks differ. Ranks of a group are those that the dumps name; of a group that none names, those
// that took part in it. A collective that all ranks have reached is under way and none of these.
Result<std::vector<UnreachedCollective>> unreachedCollectives(const RunStudy& study);

} // namespace trainscope::analysis
