#pragma once
// The samples of one series one after the other, read from the store in blocks of bounded size. The
// store pushes blocks to a visitor; walking several series together needs to pull.

#include "core/store/Store.h"

#include <cstddef>
#include <vector>

namespace trainscope::analysis {

class SampleCursor {
public:
    SampleCursor(const store::Store& store, SeriesId series, TimeRange window = kAllTime);

    // Call once before the first atEnd().
    Status start() { return refill(); }
    [[nodiscard]] bool atEnd() const { return m_position >= m_times.size(); }
    // SI, NaN where missing; only while not atEnd().
    [[nodiscard]] TimeNs time() const { return m_times[m_position]; }
    [[nodiscard]] double value() const { return m_values[m_position]; }
    Status next();

private:
    Status refill();

    const store::Store* m_store;
    SeriesId m_series;
    TimeRange m_window;
    std::vector<TimeNs> m_times;
    std::vector<double> m_values;
    std::size_t m_position = 0;
    bool m_hasStarted = false;
    // Where the block ended: refilling starts there and leaves out what was delivered.
    TimeNs m_lastTime;
    std::size_t m_deliveredAtLastTime = 0;
};

// What a series holds at a moment: its last sample at or before it.
class HeldValue {
public:
    explicit HeldValue(SampleCursor cursor)
        : m_cursor(std::move(cursor)) { }
    Status start() { return m_cursor.start(); }
    // Moments must not go back. NaN before the first sample and where the sample is missing.
    Result<double> at(TimeNs moment);

private:
    SampleCursor m_cursor;
    double m_held = std::numeric_limits<double>::quiet_NaN();
};

} // namespace trainscope::analysis
