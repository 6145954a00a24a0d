#pragma once
// The passes of micro-batches over one device, cut out of its kernels: a visitor of a device's
// walk. A pass begins where an annotation that tells forward or backward begins anew, where such
// annotations or the kernels' names turn from forward to backward or back, and where between two
// kernels a transfer of the pipeline (SendRecv) begins or ends. It lasts from its first kernel's
// start to its last one's end; collectives of tensor, context and expert groups belong to it,
// reductions of gradients and the optimizer to none. Memory grows with the passes, and with their
// kernels up to kMostKernels.

#include "core/analysis/phases/DeviceWalk.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace trainscope::analysis {

struct Pass {
    TimeRange range; // of the rank's own clock
    Mark mark = Mark::None; // Forward, Backward, or None where nothing tells it
    std::int64_t kernels = 0;
    bool isAnnotated = false;
    bool afterTransfer = false; // a transfer lies between the pass before and this one
    std::vector<TimeRange> times; // of its kernels; empty where there are too many to keep
};

class PassCutter : public DeviceVisitor {
public:
    static constexpr std::size_t kMostKernels = std::size_t{1} << 22U;

    // Of kernels that start in the window.
    PassCutter(const store::Store& store, TimeRange window)
        : m_store(store)
        , m_window(window) { }

    Status work(const DeviceWork& work) override;
    // After the walk; in order of start.
    std::vector<Pass> take(const MarkEvidence& evidence);

private:
    enum class Role { InPass, BetweenPasses, Aside };
    // Kernels without a moment between them at which none runs.
    struct Part {
        TimeRange range;
        Telling telling;
        std::int64_t kernels = 0;
        std::vector<TimeRange> times;
    };

    Result<Role> roleOf(NameId detail);
    void addTransfer(TimeRange range);
    void addKernel(TimeRange range, const Telling& telling);
    [[nodiscard]] bool isOther(const Telling& telling) const;
    [[nodiscard]] bool isSame(const Telling& telling) const;
    bool takeTransfers(TimeNs from, TimeNs to);
    void finish(bool byTransfer);
    static void join(Part& part, const Part& next);
    void keepTimes(Part& part, TimeRange range);

    const store::Store& m_store;
    TimeRange m_window;
    std::unordered_map<NameId, Role> m_roles; // by detail
    std::vector<TimeRange> m_transfers; // that may touch the next gap
    std::optional<Part> m_pass; // up to the last moment without kernels
    std::optional<Part> m_tail; // since then; there is one while a pass is open
    bool m_isOver = false; // the optimizer is at work: what is not marked belongs to it
    bool m_nextAfterTransfer = false;
    std::size_t m_kept = 0; // times
    std::vector<Pass> m_passes;
};

// Passes of a kind have equally many kernels, as many as one has where forward and backward take
// turns. By that, pieces of a pass that a transfer beside it has cut are joined, and passes that
// touch without a transfer between them are cut. Where there are then more of a kind than
// `expected` (0: not known), neighbours without a transfer between them are joined (annotations of
// layers), and the smallest are left out.
std::vector<Pass> joinedPasses(std::vector<Pass> passes, std::int64_t expected);

} // namespace trainscope::analysis
