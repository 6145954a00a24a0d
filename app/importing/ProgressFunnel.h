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
#include <deque>

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

// TransferMeter: rate of a transfer and its remaining time, smoothed over the last seconds so that
// the numbers can be read. Fed with a clock's milliseconds, so that tests need not wait.

class TransferMeter {
public:
    void restart() { m_points.clear(); }
    // `fraction`: done share of all work, 0 to 1; < 0: not known. Other work has begun when it
    // falls, or becomes known.
    void add(std::int64_t milliseconds, std::uint64_t bytesDone, double fraction);

    // Bytes per second over the last kWindow; absent in the first half second and where none moved.
    [[nodiscard]] std::optional<double> rate() const;
    // By the mean of the speed since the start and that of the last kWindow: work is not equally
    // fast everywhere.
    [[nodiscard]] std::optional<double> secondsLeft() const;

    static constexpr std::int64_t kWindow = 4000; // ms
    static constexpr std::int64_t kSettling = 500; // ms

private:
    struct Point {
        std::int64_t milliseconds = 0;
        std::uint64_t bytes = 0;
        double fraction = 0.0;
    };
    std::deque<Point> m_points; // in the last kWindow
    Point m_start;
};

} // namespace trainscope::app
