#pragma once
// Part of a trace that an analysis looks at: all of it, a window, or iterations.

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/traces/RankClocks.h"

namespace trainscope::analysis {

// Recorded iterations that count for a rank: those that it marked itself, else those of the whole
// run, else those of the lowest rank that marked some (ranks step together). In order of time.
std::vector<Iteration> iterationsOfRank(std::span<const Iteration> iterations, int rank);

// Choice of the part to look at.

// The iterations to break down by (see iterationsOfRank() for which count for a rank); with `only`
// set, nothing but that one is looked at, and it is the window of its ranks.
struct IterationChoice {
    std::vector<Iteration> all;
    std::optional<std::int64_t> only;
};

// Least share of an iteration of the whole run, as a log tells of it, that must lie within the
// traced time, of all devices together and of one: the rest would seem idle.
inline constexpr double kCoveredByTrace = 0.9;
inline constexpr double kCoveredOnDevice = 0.5;

// Without those of the whole run that the traces do not cover; traced: what was traced of all
// devices together, in order.
IterationChoice tracedIterations(IterationChoice choice, std::span<const TimeRange> traced);

// For one device.
struct TraceWindow {
    // To be read; kAllTime: everything.
    TimeRange range = kAllTime;
    // The window of the figures; absent: from the first begin to the last end of any work.
    std::optional<TimeRange> fixed;
    // The device's captures inside the range, in order: what lies between them was not traced.
    std::vector<TimeRange> captures;
    // By time: those that touch both; of the whole run's, those that the device covers as well.
    // Cut at the edges of the window, beyond which nothing is read.
    std::vector<Iteration> iterations;

    // Traced time in a window of the figures.
    [[nodiscard]] DurationNs tracedIn(TimeRange window) const;
};
// captures: of the device's work, in order, at least one (DeviceTracks). Absent where the chosen
// iteration is not there.
std::optional<TraceWindow> traceWindow(
    int rank, std::span<const TimeRange> captures, TimeRange window, const IterationChoice& choice);

// Windows in order of their begin, asked for by ranges in order of their begin; any may overlap.
class OpenWindows {
public:
    void add(TimeRange window) { m_windows.push_back(window); }

    // visit(number of the window): of those that share more than a point with the range, or, for an
    // empty range, contain it.
    template <typename Visit>
    void forEachTouched(TimeRange range, Visit&& visit) {
        while (m_open < m_windows.size() && m_windows[m_open].end <= range.begin)
            ++m_open;
        for (std::size_t i = m_open; i < m_windows.size(); ++i) {
            if (m_windows[i].begin > range.begin && m_windows[i].begin >= range.end)
                return;
            if (m_windows[i].end > range.begin)
                visit(i);
        }
    }

private:
    std::vector<TimeRange> m_windows;
    std::size_t m_open = 0; // those before it have ended
};

// A stretch of a run's time, and its steady part, as the clock of each of its ranks has it.

// The stretch on the clock of a rank. One that holds all that a device recorded counts as kAllTime
// for it, as where no stretch is given.
using RankWindow = std::function<TimeRange(int rank)>;

using RankClocksPtr = std::shared_ptr<const RankClocks>;

// nullptr where the clocks of the ranks agree, within what is known of them: times are then left
// as they were recorded, here as in all views. Cancelled by progress.
Result<RankClocksPtr> differingClocks(const RunStudy& study);

// A stretch on the reference clock. Ends of kAllTime stay where they are, and so does all of a rank
// whose clock is not known.
TimeRange ownWindow(const RankClocksPtr& clocks, int rank, TimeRange window);
// A stretch of a rank's clock on the reference clock, as it is where that clock is not known.
TimeRange onReference(const RankClocksPtr& clocks, int rank, TimeRange own);
RankWindow ownWindows(RankClocksPtr clocks, TimeRange window);

// `window`: from the begin of one of the run's iterations to the end of one, or any other part. A
// rank whose clock differs has it between its own marks of these iterations; where it made none,
// its clock tells. nullptr for the clocks: they agree, and the window is that of all. Pure.
TimeRange ownSteadyWindow(
    const RunIterations& iterations, TimeRange window, const RankClocksPtr& clocks, int rank);

// Steady part of a run's traces; all of them where they have none of it.
struct SteadyTraces {
    RankWindow windowOf = [](int) { return kAllTime; };
    TimeRange window = kAllTime; // on the common clock
    std::string wording; // for people: which part
};
// All of the traces, without work long before the first iteration (EarlyWork.h).
Result<SteadyTraces> countedTraces(const RunStudy& study);
// Cancelled by progress.
Result<SteadyTraces> steadyTraces(const RunStudy& study);

} // namespace trainscope::analysis
