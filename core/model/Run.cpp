#include "core/model/Run.h"

namespace trainscope {

std::string_view toString(RunKind kind) {
    return kind == RunKind::Predicted ? "predicted" : "measured";
}

std::string_view toString(RunStatus status) {
    switch (status) {
    case RunStatus::Oom:
        return "oom";
    case RunStatus::Partial:
        return "partial";
    case RunStatus::Ok:
        break;
    }
    return "ok";
}

std::string_view toString(Workload workload) {
    switch (workload) {
    case Workload::Training:
        return "training";
    case Workload::Lora:
        return "lora";
    case Workload::Inference:
        return "inference";
    }
    return {};
}

std::optional<Workload> workloadFrom(std::string_view text) {
    for (const Workload workload : {Workload::Training, Workload::Lora, Workload::Inference}) {
        if (toString(workload) == text)
            return workload;
    }
    return std::nullopt;
}

} // namespace trainscope
