#include "app/viewmodels/workspace/WorkBoard.h"

#include "core/model/HarmlessText.h"

namespace trainscope::app {

bool WorkBoard::report(const ImportProgress& progress) {
    const std::lock_guard lock(m_mutex);
    m_progress = progress;
    m_progress.phase = harmlessLine(progress.phase); // may name a file
    return !m_stopped;
}

bool WorkBoard::report(const ProgressState& state) {
    ImportProgress seen;
    seen.phase = state.phase;
    seen.bytesDone = state.bytesDone;
    seen.bytesTotal = state.bytesTotal;
    if (state.bytesTotal > 0)
        seen.fraction
            = static_cast<double>(state.bytesDone) / static_cast<double>(state.bytesTotal);
    return report(seen);
}

ImportProgress WorkBoard::progress() const {
    const std::lock_guard lock(m_mutex);
    return m_progress;
}

} // namespace trainscope::app
