#pragma once
// A pass of a micro-batch over one stage, as cut out of what its device did.

#include "core/layout/Schedule.h"
#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::analysis {

struct PassKernel {
    TimeRange range;
    std::optional<layout::TaskKind> told; // by the kernel itself or what is around it
};

struct Pass {
    TimeRange range; // of the rank's own clock, or the reference
    std::optional<layout::TaskKind> kind; // absent where nothing tells it
    std::int64_t kernels = 0;
    bool isAnnotated = false;
    bool afterTransfer = false; // a transfer lies between the pass before and this one
    std::vector<PassKernel> detail; // its kernels; fewer where there are too many to keep
    // Forward only since nothing says otherwise, while the kernels of other passes are told.
    bool isAssumed = false;
    // As its annotation numbers it (PassName.h).
    std::optional<int> microbatch = std::nullopt;
    std::optional<int> chunk = std::nullopt;
    std::optional<int> piece = std::nullopt;

    [[nodiscard]] bool isNumbered() const { return microbatch || chunk || piece; }
    [[nodiscard]] bool hasDetail() const {
        return static_cast<std::int64_t>(detail.size()) == kernels;
    }
};

TimeRange spanned(const TimeRange& a, const TimeRange& b);
// Adds the later one to a pass of its kind.
void joinPass(Pass& pass, const Pass& next);

std::int64_t countOf(const std::vector<Pass>& passes, layout::TaskKind kind);

} // namespace trainscope::analysis
