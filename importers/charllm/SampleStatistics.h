#pragma once
// What the report says about the samples of one file: order, holes, falls, and how often the value
// changes.

#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::importers::charllm {

class SampleStatistics {
public:
    // Consecutive pieces of the series, NaN for missing.
    void add(std::span<const TimeNs> times, std::span<const double> values);

    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    [[nodiscard]] std::int64_t missing() const { return m_missing; }
    [[nodiscard]] std::int64_t repeatedTimes() const { return m_repeated; }
    [[nodiscard]] std::int64_t decreasingTimes() const { return m_decreasing; }
    [[nodiscard]] std::int64_t falls() const { return m_falls; } // samples below the one before
    [[nodiscard]] double max() const { return m_max; } // of the samples; 0 without any
    // A fall from the upper quarter of 32 bits to the lowest: what a 32-bit counter does.
    [[nodiscard]] bool hasWrapOf32Bits() const { return m_hasWrapOf32Bits; }
    // Holes longer than 10 median periods. The median is that of the first kKept intervals.
    [[nodiscard]] std::int64_t gaps() const;
    [[nodiscard]] std::optional<DurationNs> samplePeriod() const; // median interval between rows
    // Median time between changes of the value: the sensor's own period, where it is slower than
    // the recording.
    [[nodiscard]] std::optional<DurationNs> changePeriod() const;

    static constexpr std::size_t kKept = 16384;
    static constexpr std::int64_t kGapPeriods = 10;

private:
    void addTime(TimeNs time);
    void addValue(TimeNs time, double value);

    std::int64_t m_rows = 0;
    std::int64_t m_missing = 0;
    std::int64_t m_repeated = 0;
    std::int64_t m_decreasing = 0;
    std::int64_t m_falls = 0;
    double m_max = 0.0;
    bool m_hasWrapOf32Bits = false;
    TimeNs m_previousTime;
    double m_previousValue = 0.0;
    bool m_hasValue = false;
    std::optional<TimeNs> m_lastChange;
    std::vector<std::int64_t> m_intervals; // the first kKept that are positive
    std::vector<std::int64_t> m_changes; // likewise
    std::int64_t m_gapLimit = 0; // once m_intervals is full
    std::int64_t m_laterGaps = 0;
};

// The middle one (the upper of two); absent for none.
std::optional<std::int64_t> medianOf(std::vector<std::int64_t> values);

} // namespace trainscope::importers::charllm
