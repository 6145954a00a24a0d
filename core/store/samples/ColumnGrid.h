#pragma once
// The columns of a lane: a window of time in equal parts, filled from samples, from steps and from
// nodes of a pyramid in order of time. Column k is [begin + ceil(length·k/n), begin +
// ceil(length·(k+1)/n)), in whole nanoseconds, exactly.

#include "core/model/Series.h"
#include "core/store/samples/Pyramid.h"

#include <cmath>

namespace trainscope::store {

class ColumnGrid {
public:
    // window not empty, columns > 0. holeNs: an interval longer than this is a hole in the
    // recording.
    ColumnGrid(TimeRange window, int columns, std::int64_t holeNs);

    [[nodiscard]] const TimeRange& window() const { return m_window; }
    // The widest a node may be to count as one column.
    [[nodiscard]] std::uint64_t columnWidth() const { return m_width; }

    // SI value held on [time, next); next = time for the last one.
    void addSample(std::int64_t time, double value, std::int64_t next);
    // The same for samples in order of time, in source numbers; `next` is that of the last one.
    void addSamples(std::span<const std::int64_t> times, std::span<const double> values,
        std::int64_t next, double scale);
    // A node whose samples all lie in the window.
    void addNode(const BucketNode& node);
    // Spreads a value held on [from, to) over the columns; `share` of it is not missing.
    void hold(std::int64_t from, std::int64_t to, double value, double share = 1.0);
    void markGap(std::int64_t from, std::int64_t to);
    // Behind the column in which that time of the window lies.
    [[nodiscard]] std::int64_t endOfColumn(std::int64_t time);

    [[nodiscard]] std::vector<Bucket> buckets() const;

private:
    struct Column {
        float min = 0.0F;
        float max = 0.0F;
        float first = 0.0F;
        float last = 0.0F;
        double weighted = 0.0;
        double weight = 0.0;
        double plain = 0.0;
        double held = 0.0; // value of the sample that holds here, when the column has none
        // The bounds of what holds when the column begins.
        float enteredMin = std::numeric_limits<float>::quiet_NaN();
        float enteredMax = std::numeric_limits<float>::quiet_NaN();
        std::uint32_t count = 0;
        bool gap = false;
        bool hasHeld = false;

        void enter(double value) {
            enteredMin = std::fmin(enteredMin, roundDown(value));
            enteredMax = std::fmax(enteredMax, roundUp(value));
        }
    };
    [[nodiscard]] std::int64_t boundary(std::size_t k) const;
    std::size_t columnOf(std::int64_t time);
    void include(Column& column, float low, float high, float first, float last) const;
    std::size_t addWithinColumn(std::span<const std::int64_t> times, std::span<const double> values,
        std::int64_t next, double scale);
    static Bucket finished(const Column& column);

    TimeRange m_window;
    std::int64_t m_holeNs;
    std::uint64_t m_width;
    bool m_narrow; // length × columns fits into 64 bits
    std::vector<Column> m_columns;
    std::size_t m_current = 0; // columnOf() mostly asks for this one or the next
    std::int64_t m_currentBegin;
    std::int64_t m_currentEnd;
};

} // namespace trainscope::store
