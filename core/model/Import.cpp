#include "core/model/Import.h"

namespace trainscope {

void ImportReport::warn(std::string file, std::int64_t line, std::string text) {
    ++warningCount;
    if (warnings.size() < kMaxWarnings)
        warnings.push_back({std::move(file), line, std::move(text)});
}

Error cancelled() {
    return {ErrorCode::Cancelled, "Stopped on request; nothing of this source was kept.", {}};
}

} // namespace trainscope
