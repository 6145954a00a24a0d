#include "app/cli/console/ExitStatus.h"

namespace trainscope::cli {

ExitStatus exitStatusOf(ErrorCode code) {
    switch (code) {
    case ErrorCode::Usage:
    case ErrorCode::NotFound:
        return ExitStatus::Usage;
    case ErrorCode::Refused:
        return ExitStatus::Refused;
    case ErrorCode::Cancelled:
        return ExitStatus::Partly;
    case ErrorCode::Unreadable:
    case ErrorCode::Unrecognised:
    case ErrorCode::Io:
    case ErrorCode::Internal:
        break;
    }
    return ExitStatus::Unreadable;
}

} // namespace trainscope::cli
