#pragma once
// The collective arguments of an NCCL or RCCL kernel (torch 2.2 and later), from a span's detail.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

struct CollectiveDetail {
    std::string collective; // "Collective name"
    std::string group; // "Process Group Name"
    std::vector<int>
        ranks; // "Process Group Ranks", a list as text; empty where it is elided ("...")
    std::string ranksText; // the list as it is written, elided or not
    std::string description; // "Process Group Description"
    std::string dataType; // "dtype"
    std::optional<std::int64_t> groupSize; // "Group size"
    std::optional<std::int64_t> inElements; // "In msg nelems"
    std::optional<std::int64_t> outElements; // "Out msg nelems"
    std::optional<std::int64_t> sequence; // "Seq"
    std::optional<int> source; // "Src Rank"
    std::optional<int> destination; // "Dst Rank"

    bool operator==(const CollectiveDetail&) const = default;
};

// What is missing or broken stays empty. An elided list of ranks is completed from "Global rank
// start" and "Global rank stride" where these are there.
CollectiveDetail parseCollectiveDetail(std::string_view json);

} // namespace trainscope::analysis
