#pragma once
// Writes the iterations and values of a training log into a sink, in blocks, and keeps what the
// report says about them.

#include "core/model/Import.h"
#include "importers/trainlog/KeyTable.h"
#include "importers/trainlog/StepClock.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::trainlog {

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
