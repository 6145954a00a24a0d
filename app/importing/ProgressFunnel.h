#pragma once
// Turns the progress of single units into that of the whole import, at a rate that a window can
// follow, and remembers that the user has cancelled. One thread.
//
// Bytes are those read, of those on disk. The fraction is that of the work: a unit's reading, and
// behind it the work of the store without reading (sorting, indexing, saving). Their shares of its
// time are guessed for the first unit and learnt from each; within a unit they stay, so that the
// fraction never falls.

#include "app/importing/ImportRunner.h"

#include <chrono>

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
    std::uint64_t m_finishedBytes = 0; // in earlier units
    double m_readingShare = 0.7; // share of a unit's time
    double m_finishing = 0.0; // done part of the work behind the reading
    double m_phaseStart = 0.0; // the same, when its phase began
    Time m_unitStart;
    Time m_readingEnd;
    bool m_isInUnit = false;
    bool m_isFinishing = false;
    Time m_lastTold;
    bool m_cancelled = false;
};

} // namespace trainscope::app
