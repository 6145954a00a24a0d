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

} // namespace trainscope
