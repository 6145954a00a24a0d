#pragma once
// Writes the iterations and values of a training log into a sink, in blocks, and keeps what the
// report says about them.

#include "importers/trainlog/KeyTable.h"
#include "importers/trainlog/LogReader.h"

namespace trainscope::importers::trainlog {

// Times of the iterations of a log, from its lines: stamps, durations, time since the start. Every
// moment that a line gives is kept to within its resolution; between them durations decide, so that
// stamps in whole seconds do not blur iterations of milliseconds.

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

// Settings of the run from which values are computed that its lines do not give.
struct StepFacts {
    std::optional<double> samplesPerStep; // the global batch
    std::optional<double> tokensPerSample;
    std::optional<double> tokensPerStep; // if no sample is spoken of
    std::optional<double> gpus;
    bool hasTimes = true; // else no time has a meaning, only the order
};

class StepRecorder {
public:
    StepRecorder(Sink& sink, RunId run, ImportReport& report)
        : m_sink(sink)
        , m_run(run)
        , m_report(report) { }

    void setFacts(const StepFacts& facts) { m_facts = facts; }
    Status step(const LoggedStep& step, const StepTimes& times);
    Status values(const LoggedStep& step, TimeNs time);
    // The line opens or closes an interval of the run.
    void interval(const StepLine& line, TimeNs time);
    Status finish();

    [[nodiscard]] std::int64_t iterations() const { return m_iterations; }
    // Keys that no table knows, by the metrics that they became.
    [[nodiscard]] const std::set<std::string>& ownMetrics() const { return m_own; }
    // The global batch that the lines name; absent where none does, or where it changes.
    [[nodiscard]] std::optional<double> steadyBatch() const {
        return m_batchChanges ? std::nullopt : m_firstBatch;
    }
    // Tokens by the log's own rates and times, over those of batch and sequence length; absent
    // where one of both is not known.
    [[nodiscard]] std::optional<double> loggedTokenShare() const {
        return m_knownTokens > 0.0 && m_loggedTokens > 0.0
            ? std::optional(m_loggedTokens / m_knownTokens)
            : std::nullopt;
    }
    // The highest MFU that the log reports, as a fraction.
    [[nodiscard]] std::optional<double> highestMfu() const { return m_highestMfu; }

private:
    struct Column {
        std::string key; // as written; empty: computed
        std::string unit; // behind its numbers, as first seen
        KeyMeaning meaning;
        std::optional<SeriesId> series;
        std::vector<TimeNs> times;
        std::vector<double> numbers;
    };
    Column& columnOf(const LoggedValue& value, std::string_view unit);
    Column& computed(std::string_view metric);
    Status add(Column& column, TimeNs time, double number);
    Status addValue(const LoggedValue& value, TimeNs time, bool isSkipped);
    Status addComputed(const StepTimes& times);
    Status writeIterations(const LoggedStep& step, const StepTimes& times);
    static bool saysFractions(const Column& column);
    Status flush(Column& column);
    Status writeIntervals();

    struct Interval {
        std::string name;
        TimeRange range;
    };

    Sink& m_sink;
    RunId m_run;
    ImportReport& m_report;
    StepFacts m_facts;
    std::map<std::string, Column, std::less<>> m_columns; // by key; computed ones behind a blank
    std::vector<Column*> m_order; // the last line's, which the next repeats
    std::size_t m_next = 0;
    std::set<std::string> m_seen; // metrics of this line
    std::set<std::string> m_taken; // metrics that have a column
    std::set<std::string> m_own;
    std::int64_t m_iterations = 0;
    std::optional<double> m_globalBatch; // this line's
    std::optional<double> m_firstBatch; // over all lines
    bool m_batchChanges = false;
    std::optional<double> m_highestMfu;
    double m_loggedTokenRate = 0.0; // in this line, 1/s
    double m_loggedTokens = 0.0;
    double m_knownTokens = 0.0;
    std::map<std::pair<std::string, std::string>, TimeNs> m_open; // intervals by name and number
    std::vector<Interval> m_intervals; // the closed ones
};

} // namespace trainscope::importers::trainlog
