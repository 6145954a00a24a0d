#include "core/analysis/schedule/Pass.h"

#include <algorithm>

namespace trainscope::analysis {

TimeRange spanned(const TimeRange& a, const TimeRange& b) {
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

void joinPass(Pass& pass, const Pass& next) {
    pass.range = spanned(pass.range, next.range);
    pass.kernels += next.kernels;
    pass.detail.insert(pass.detail.end(), next.detail.begin(), next.detail.end());
    pass.isAssumed = pass.isAssumed && next.isAssumed;
}

std::int64_t countOf(const std::vector<Pass>& passes, layout::TaskKind kind) {
    return std::count_if(
        passes.begin(), passes.end(), [&](const Pass& pass) { return pass.kind == kind; });
}

} // namespace trainscope::analysis
