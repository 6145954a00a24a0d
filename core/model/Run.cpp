#include "core/model/Run.h"

#include "core/model/EnumNames.h"

namespace trainscope {

namespace {

constexpr auto kRunKinds
    = enumNames<RunKind>({{RunKind::Measured, "measured"}, {RunKind::Predicted, "predicted"}});
constexpr auto kRunStatuses = enumNames<RunStatus>(
    {{RunStatus::Ok, "ok"}, {RunStatus::Oom, "oom"}, {RunStatus::Partial, "partial"}});
constexpr auto kWorkloads = enumNames<Workload>({{Workload::Training, "training"},
    {Workload::Lora, "lora"}, {Workload::Inference, "inference"}});

} // namespace

std::string_view toString(RunKind kind) {
    return kRunKinds.nameOf(kind);
}

std::string_view toString(RunStatus status) {
    return kRunStatuses.nameOf(status);
}

RunKind runKindFrom(std::string_view text) {
    return kRunKinds.find(text).value_or(RunKind::Measured);
}

RunStatus runStatusFrom(std::string_view text) {
    return kRunStatuses.find(text).value_or(RunStatus::Ok);
}

std::string_view toString(Workload workload) {
    return kWorkloads.nameOf(workload);
}

std::optional<Workload> workloadFrom(std::string_view text) {
    return kWorkloads.find(text);
}

int believableGpus(std::int64_t count) {
    return count >= 1 && count <= kMostGpus ? static_cast<int>(count) : 0;
}

int launchedGpus(const LaunchConfig& launch) {
    if (launch.nodes && launch.gpusPerNode)
        return believableGpus(std::int64_t{believableGpus(*launch.nodes)} * *launch.gpusPerNode);
    int gpus = launch.dataParallel ? 1 : 0;
    for (const auto& degree : {launch.tensorParallel, launch.contextParallel,
             launch.pipelineParallel, launch.dataParallel})
        gpus = believableGpus(std::int64_t{gpus} * degree.value_or(1));
    return gpus;
}

} // namespace trainscope
