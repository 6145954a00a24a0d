#pragma once
// Cuts a device's time into pieces in which the same work runs, from work that arrives in order of
// its start. Memory grows with what runs at once.

#include "core/analysis/traces/Phase.h"
#include "core/model/Id.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace trainscope::analysis {

// A kernel that runs.
struct ActiveKernel {
    TimeNs end;
    const std::string* category = nullptr; // of the built-in table
    NameId detail;
    Mark mark = Mark::None; // of compute
    bool isCommunication = false;
    bool isPipelineTransfer = false; // SendRecv that is no all-to-all
};

class ActivitySweep {
public:
    // Pieces before `begin` are not told.
    explicit ActivitySweep(TimeNs begin)
        : m_now(begin) { }

    // tell(range, kernels that run throughout): up to the start of this kernel.
    template <typename Tell>
    void add(TimeNs start, const ActiveKernel& kernel, Tell&& tell) {
        advance(start, tell);
        if (kernel.end > m_now)
            m_active.push_back(kernel);
    }
    template <typename Tell>
    void advance(TimeNs until, Tell&& tell) {
        while (m_now < until) {
            TimeNs next = until;
            for (const ActiveKernel& kernel : m_active)
                next = std::min(next, kernel.end);
            tell(TimeRange{m_now, next}, std::span<const ActiveKernel>(m_active));
            m_now = next;
            std::erase_if(
                m_active, [&](const ActiveKernel& kernel) { return kernel.end <= m_now; });
        }
    }

private:
    TimeNs m_now;
    std::vector<ActiveKernel> m_active;
};

// The phase of a piece; compute whose mark is not known is Compute.
inline Phase phaseOf(std::span<const ActiveKernel> running) {
    bool communication = false;
    bool compute = false;
    Mark mark = Mark::None;
    for (const ActiveKernel& kernel : running) {
        (kernel.isCommunication ? communication : compute) = true;
        if (!kernel.isCommunication)
            mark = std::max(mark, kernel.mark);
    }
    if (!compute)
        return communication ? Phase::CommunicationExposed : Phase::Idle;
    if (communication)
        return Phase::CommunicationHidden;
    switch (mark) {
    case Mark::Forward:
        return Phase::Forward;
    case Mark::Backward:
        return Phase::Backward;
    case Mark::Optimizer:
        return Phase::Optimizer;
    case Mark::None:
        break;
    }
    return Phase::Compute;
}

} // namespace trainscope::analysis
