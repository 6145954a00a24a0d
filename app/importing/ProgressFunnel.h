#pragma once
// Turns the progress of single units into that of the whole import, at a rate that a window can
// follow, and remembers that the user has cancelled. One thread.
//
// Bytes are those read, of those on disk. The fraction is of the work: a unit's reading, and behind
// it what the store does without reading (sorting, indexing, saving). How they share its time is
// guessed for the first unit and learnt from each; within a unit the shares stay, so that the
// fraction never falls.

#include "app/importing/ImportRunner.h"

#include <chrono>
#include <functional>
#include <string>

namespace trainscope::app {

class ProgressFunnel {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Clock = std::function<Time()>;

    ProgressFunnel(const importers::ImportPlan& plan, const ImportListener& listener,
        Clock clock = std::chrono::steady_clock::now);

    void beginUnit(std::size_t index);
    void endUnit();
    // False once the user has cancelled. Asks the listener every 20 ms at most. Between units and
    // behind the last one it tells the phase alone.
    bool report(const ProgressState& state);
    [[nodiscard]] bool isCancelled() const { return m_cancelled; }

private:
    void takeReading(const ProgressState& state);
    void takeFinishing(const ProgressState& state, bool newPhase);
    void learn();
    void update(double unitFraction);
    bool tell();

    const importers::ImportPlan& m_plan;
    const ImportListener& m_listener;
    Clock m_clock;
    ImportProgress m_progress;
    std::uint64_t m_finishedBytes = 0; // of earlier units
    double m_readingShare = 0.7; // of a unit's time
    double m_finishing = 0.0; // how much of what follows the reading is done
    double m_phaseStart = 0.0; // of the same, when its phase began
    Time m_unitStart;
    Time m_readingEnd;
    bool m_isInUnit = false;
    bool m_isFinishing = false;
    Time m_lastTold;
    bool m_cancelled = false;
};

} // namespace trainscope::app
