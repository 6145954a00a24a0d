#pragma once
// Statistics of the samples of one series for a report: order, holes, falls, and the number of
// changes of the value. Pieces can be looked at apart and put together: the result is that of the
// whole.

#include "core/model/Time.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainscope::importers {

class SampleStatistics {
public:
    // Statistics of one piece of the series, NaN for missing.
    static SampleStatistics of(std::span<const TimeNs> times, std::span<const double> values);
    // Goes on with the piece that follows; `times` are those of its samples.
    void append(SampleStatistics next, std::span<const TimeNs> times);

    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    [[nodiscard]] std::int64_t missing() const { return m_missing; }
    [[nodiscard]] std::int64_t repeatedTimes() const { return m_repeated; }
    [[nodiscard]] std::int64_t decreasingTimes() const { return m_decreasing; }
    [[nodiscard]] std::int64_t falls() const { return m_falls; } // samples below the one before
    [[nodiscard]] double max() const { return m_max; } // over the samples; 0 without any
    // A fall from the upper quarter of 32 bits to the lowest: what a 32-bit counter does.
    [[nodiscard]] bool hasWrapOf32Bits() const { return m_hasWrapOf32Bits; }
    // Holes longer than 10 periods. The period is that of the first kKept intervals.
    [[nodiscard]] std::int64_t gaps() const;
    // As core/model/SamplingPeriod.h says.
    [[nodiscard]] std::optional<DurationNs> samplePeriod() const;
    // "Readings of one GPU come 10 ms apart …": where rows come in groups; else empty.
    [[nodiscard]] std::string groupsText() const;
    // Median time between changes of the value: the sensor's own period, where it is slower than
    // the recording. Absent below `fewest` of them.
    [[nodiscard]] std::optional<DurationNs> changePeriod(std::size_t fewest = 1) const;

    static constexpr std::size_t kKept = 16384;

private:
    struct Sample {
        TimeNs time;
        double value = 0.0;
    };
    void countOrder(TimeNs before, std::span<const TimeNs> times);
    void takeIntervals(TimeNs before, std::span<const TimeNs> times);
    void takeValues(std::span<const TimeNs> times, std::span<const double> values);
    void takeChanges(std::span<const TimeNs> times, std::span<const double> values);
    void step(double from, double to);
    void addChange(TimeNs time);
    void appendValues(SampleStatistics& next);

    std::int64_t m_rows = 0;
    std::int64_t m_missing = 0;
    std::int64_t m_repeated = 0;
    std::int64_t m_decreasing = 0;
    std::int64_t m_falls = 0;
    double m_max = 0.0;
    bool m_hasWrapOf32Bits = false;
    TimeNs m_lastTime; // any row's
    std::optional<Sample> m_first; // not a missing one
    std::optional<Sample> m_last; // likewise
    std::optional<TimeNs> m_firstChange;
    std::optional<TimeNs> m_lastChange;
    std::int64_t m_shortest = std::numeric_limits<std::int64_t>::max(); // positive interval
    std::int64_t m_longest = 0;
    std::vector<std::int64_t> m_intervals; // the first kKept that are positive
    std::vector<std::int64_t> m_changes; // likewise
    std::int64_t m_gapLimit = 0; // once m_intervals is full
    std::int64_t m_laterGaps = 0;
};

// The middle one (the upper of two); absent for none.
std::optional<std::int64_t> medianOf(std::vector<std::int64_t> values);

} // namespace trainscope::importers
