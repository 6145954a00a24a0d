#pragma once
// The collective arguments of an NCCL or RCCL kernel (torch 2.2 and later), from a span's detail.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

struct CollectiveDetail {
    std::string collective; // "Collective name"
    std::string group; // "Process Group Name"
    std::vector<int>
        ranks; // "Process Group Ranks", a list as text; empty where it is elided ("...")

    bool operator==(const CollectiveDetail&) const = default;
};

// What is missing or broken stays empty.
CollectiveDetail parseCollectiveDetail(std::string_view json);

} // namespace trainscope::analysis
