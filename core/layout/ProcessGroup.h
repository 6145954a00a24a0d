#pragma once
// A communicator as a trace lists it (torch's pg_config, or the arguments of its collectives), and
// what its name says it is for. Plain values.

#include "core/layout/RankGrid.h"

namespace trainscope::layout {

struct ProcessGroup {
    std::string name; // "13", "tp"
    std::string description; // "TENSOR_MODEL_PARALLEL_GROUP", "undefined", "mesh_tp"
    std::vector<int> ranks; // ascending

    bool operator==(const ProcessGroup&) const = default;
    auto operator<=>(const ProcessGroup&) const = default;
};

// From the names that Megatron-LM, DeepSpeed, FSDP and device meshes give; absent where they say
// nothing.
std::optional<CommunicatorKind> kindFromName(std::string_view name, std::string_view description);
// Groups beside the dimensions: embeddings, parts of other groups.
bool isAuxiliary(std::string_view description);

// The form in which groups are kept with a source: "TENSOR_MODEL_PARALLEL_GROUP (13): 0-7; …", a
// range with a stride as "0-56/8". Other text than that gives what can be understood of it.
std::string processGroupsText(const std::vector<ProcessGroup>& groups);
std::vector<ProcessGroup> processGroupsFromText(std::string_view text);

inline constexpr std::string_view kProcessGroupsFact = "process groups"; // in an ImportReport

} // namespace trainscope::layout
