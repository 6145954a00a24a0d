#pragma once
// A pass of a micro-batch over one stage, as cut out of what its device did, and how pieces of
// passes are joined.

#include "core/layout/Schedule.h"
#include "core/model/Time.h"

namespace trainscope::analysis {

struct PassKernel {
    TimeRange range;
    std::optional<layout::TaskKind> told; // by the kernel itself or what is around it
};

struct Pass {
    TimeRange range; // on the rank's own clock, or the reference
    std::optional<layout::TaskKind> kind; // absent where nothing tells it
    std::int64_t kernels = 0;
    bool isAnnotated = false;
    bool afterTransfer = false; // a transfer lies between the pass before and this one
    std::vector<PassKernel> detail; // its kernels; fewer where there are too many to keep
    // Forward only since nothing says otherwise, while the kernels of other passes are told.
    bool isAssumed = false;
    // As its annotation numbers it (Phase.h).
    std::optional<int> microbatch = std::nullopt;
    std::optional<int> chunk = std::nullopt;
    std::optional<int> piece = std::nullopt;

    [[nodiscard]] bool isNumbered() const { return microbatch || chunk || piece; }
    [[nodiscard]] bool hasDetail() const {
        return static_cast<std::int64_t>(detail.size()) == kernels;
    }
};

// Adds the later one to a pass of its kind.
void joinPass(Pass& pass, const Pass& next);

std::int64_t countOf(const std::vector<Pass>& passes, layout::TaskKind kind);

// Passes put together from the pieces that a cutter finds. Pure; any thread.

// Passes of a kind have equally many kernels, as many as one has where forward and backward take
// turns. By that, pieces of a pass that a transfer beside it has cut are joined, and passes that
// touch without a transfer between them are cut. If there are then more of a kind than
// `expected` (0: not known), neighbours without a transfer between them are joined (annotations of
// layers), and the smallest are left out.
std::vector<Pass> joinedPasses(std::vector<Pass> passes, std::int64_t expected);

// Neighbours that are numbered as the same pass are one (annotations of its parts). Time
// between numbered passes is no pass, where there are any.
std::vector<Pass> numberedPasses(const std::vector<Pass>& passes);

// Activations that are computed again inside backward passes, where only the kernels' names tell
// forward from backward: they look like forward passes of their own. Pure; any thread.

// Between two transfers of the pipeline, what lies between the first and the last backward piece is
// one backward pass. A forward piece before it is one of it too where there are as many forward
// passes without these as there are backward ones. Nothing is joined where no transfers were
// traced, annotations tell the passes, or no small forward pieces lie between backward ones.
void foldRecomputation(std::vector<Pass>& passes);

} // namespace trainscope::analysis
