#pragma once
// The process groups of a run and the arguments of its collectives, as its traces tell them.

#include "core/analysis/RunStudy.h"
#include "core/layout/ProcessGroup.h"

namespace trainscope::analysis {

// The collective arguments of an NCCL or RCCL kernel (torch 2.2 and later), from a span's detail.
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

// Parses the detail of a collective; missing or broken fields stay empty. An elided list of ranks
// is completed from "Global rank start" and "Global rank stride" where these are there.
CollectiveDetail parseCollectiveDetail(std::string_view json);
// The detail of a span by its name; empty for one that is not valid.
Result<CollectiveDetail> collectiveDetail(const store::Store& store, NameId detail);

// As recorded with the traces (pg_config), else from the arguments of their collectives; each once.
// A group that does not say what it is for is described by its collectives where these show it:
// pipelines send and receive, experts exchange all with all.
Result<std::vector<layout::ProcessGroup>> processGroupsOf(const RunStudy& study);

// "TENSOR_MODEL_PARALLEL_GROUP [0, 1]", with what is known of it; empty where nothing is.
std::string groupText(const CollectiveDetail& detail);

} // namespace trainscope::analysis
