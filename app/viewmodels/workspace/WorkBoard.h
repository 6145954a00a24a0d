#pragma once
// The board on which a worker thread and the window leave each other word: the worker its progress,
// the window its wish to stop. Thread-safe.

#include "app/importing/ImportRunner.h"

#include <atomic>
#include <mutex>

namespace trainscope::app {

class WorkBoard {
public:
    void stop() { m_stopped = true; }
    [[nodiscard]] bool isStopped() const { return m_stopped; }
    // Returns true to go on.
    bool report(const ImportProgress& progress);
    bool report(const ProgressState& state);
    [[nodiscard]] ImportProgress progress() const;

private:
    std::atomic<bool> m_stopped{false};
    mutable std::mutex m_mutex;
    ImportProgress m_progress;
};

} // namespace trainscope::app
