#pragma once
// The passes of micro-batches over one device, cut out of its kernels: a visitor of a device's
// walk. A pass begins where an annotation that tells forward or backward begins anew, where such
// annotations or the kernels' names turn from forward to backward or back, and where between two
// kernels a transfer of the pipeline (SendRecv) begins or ends. It lasts from its first kernel's
// start to its last one's end, and is a weights' gradient alone where its annotation says so;
// collectives of tensor, context and expert groups belong to it,
// reductions of gradients and the optimizer to none. Memory grows with the passes, and with their
// kernels as many as are to be kept.

#include "core/analysis/schedule/Pass.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/Phase.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace trainscope::analysis {

class PassCutter : public DeviceVisitor {
public:
    // Cuts kernels that start in the window; the detail of no more than that many is kept.
    PassCutter(const store::Store& store, TimeRange window, std::size_t mostKept)
        : m_store(store)
        , m_window(window)
        , m_mostKept(mostKept) { }

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
        std::vector<PassKernel> detail;
    };

    Result<Role> roleOf(NameId detail);
    Result<std::optional<PassName>> passNamed(NameId name);
    void addTransfer(TimeRange range);
    void addKernel(TimeRange range, const Telling& telling);
    [[nodiscard]] bool isOther(const Telling& telling) const;
    [[nodiscard]] bool isSame(const Telling& telling) const;
    bool takeTransfers(TimeNs from, TimeNs to);
    void finish(bool byTransfer);
    [[nodiscard]] Pass passOf(const Part& part) const;
    static void join(Part& part, const Part& next);
    void keepDetail(Part& part);

    const store::Store& m_store;
    TimeRange m_window;
    std::unordered_map<NameId, Role> m_roles; // by detail
    std::unordered_map<NameId, std::optional<PassName>> m_names; // by annotation
    std::vector<TimeRange> m_transfers; // transfers that may touch the next gap
    std::optional<Part> m_pass; // up to the last moment without kernels
    std::optional<Part> m_tail; // since then; there is one while a pass is open
    bool m_isOver = false; // the optimizer is at work: what is not marked belongs to it
    bool m_nextAfterTransfer = false;
    std::size_t m_mostKept;
    std::size_t m_kept = 0;
    std::vector<Pass> m_passes;
};

} // namespace trainscope::analysis
