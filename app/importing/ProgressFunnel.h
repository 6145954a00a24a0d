#pragma once
// Turns the progress of single units into that of the whole import, at a rate that a window can
// follow, and remembers that the user has cancelled. One thread.

#include "app/importing/ImportRunner.h"

#include <chrono>
#include <string>

namespace trainscope::app {

class ProgressFunnel {
public:
    ProgressFunnel(const importers::ImportPlan& plan, const ImportListener& listener);

    void beginUnit(std::size_t index);
    void endUnit();
    // False once the user has cancelled. Asks the listener every 20 ms at most.
    bool report(const ProgressState& state);
    [[nodiscard]] bool isCancelled() const { return m_cancelled; }

private:
    bool tell();

    const importers::ImportPlan& m_plan;
    const ImportListener& m_listener;
    ImportProgress m_progress;
    std::uint64_t m_finishedBytes = 0; // of earlier units
    std::chrono::steady_clock::time_point m_lastTold;
    bool m_cancelled = false;
};

} // namespace trainscope::app
