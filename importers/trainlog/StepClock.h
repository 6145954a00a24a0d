#pragma once
// Times of the iterations of a log, from its lines: stamps, durations, time since the start. Every
// moment that a line gives is kept to within its resolution; between them durations decide, so that
// stamps in whole seconds do not blur iterations of milliseconds.

#include "core/model/Time.h"
#include "importers/trainlog/LogReader.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::importers::trainlog {

struct StepTimes {
    std::int64_t count = 0; // iterations that the line ends; 0: it repeats one
    TimeRange range; // over all of them; empty if the begin is not known
    bool isRestart = false; // the numbers have gone back
    bool isNewProcess = false; // the time since its start has
    bool isAfterPause = false; // the time without training before it is not known
};

struct ClockSettings {
    bool isDated = false; // stamps are used
    TimeNs start; // the first iteration's, if they are not
    DurationNs utcOffset; // local stamps'
    std::vector<DurationNs> pauses; // if they are not: their lengths, in order
    std::int64_t logInterval = 1; // iterations between lines
};

class StepClock {
public:
    explicit StepClock(ClockSettings settings)
        : m_settings(std::move(settings)) { }

    // A line of Kind::Step.
    StepTimes step(const LoggedStep& step);
    void pause();
    void resume(const LoggedStep& step);
    // Time of values on other lines.
    [[nodiscard]] TimeNs timeOf(const LoggedStep& step) const;
    [[nodiscard]] std::int64_t pauses() const { return m_pauses; }
    void setLogInterval(std::int64_t interval) { m_settings.logInterval = interval; }
    void setStart(TimeNs start) { m_settings.start = start; }

private:
    struct Moment {
        TimeNs time;
        DurationNs tolerance;
    };
    struct Seen {
        std::int64_t index = -1;
        std::optional<double> seconds;
    };
    bool isCopy(const Seen& line);
    [[nodiscard]] std::optional<Moment> momentOf(const LoggedStep& step) const;
    [[nodiscard]] TimeNs absolute(const LogStamp& stamp) const;
    [[nodiscard]] std::int64_t countOf(std::int64_t index) const;
    void endPause();
    bool noteElapsed(const StepLine& line);
    [[nodiscard]] TimeRange rangeOf(const LoggedStep& step, const StepTimes& times) const;

    ClockSettings m_settings;
    std::optional<std::int64_t> m_lastIndex;
    std::optional<TimeNs> m_lastEnd;
    std::array<Seen, 8> m_recent; // lines that ended an iteration
    std::size_t m_nextRecent = 0;
    double m_copyLagS = 0.0; // the other process's last line lies so far behind this one's
    bool m_isFirstAlone = false; // the length of the iterations of the only line so far is unknown
    DurationNs m_shift; // from pauses that are over, if nothing is dated
    double m_lastElapsed = 0.0;
    double m_elapsedBefore = 0.0; // a bar that starts anew counts on
    std::int64_t m_pauses = 0;
    bool m_isPaused = false;
};

} // namespace trainscope::importers::trainlog
