#pragma once
// Samples of one series that are pulled, one after the other or summed up over stretches of time.

#include "core/analysis/statistics/Means.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// Asked for every block of samples; false ends the work with Cancelled.
using KeepGoing = std::function<bool()>;

class SampleCursor {
public:
    SampleCursor(const store::Store& store, SeriesId series, TimeRange window = kAllTime,
        KeepGoing keepGoing = {});

    // Call once before the first atEnd().
    Status start() { return refill(); }
    [[nodiscard]] bool atEnd() const { return m_position >= m_block.times.size(); }
    // SI, NaN where missing; only while not atEnd().
    [[nodiscard]] TimeNs time() const { return m_block.times[m_position]; }
    [[nodiscard]] double value() const { return m_block.values[m_position]; }
    Status next() { return ++m_position < m_block.times.size() ? Status() : refill(); }

private:
    Status refill();

    store::SampleSource m_source;
    store::SampleView m_block;
    std::size_t m_position = 0;
    KeepGoing m_keepGoing;
};

// Sums of a gauge over a stretch of time.
struct HeldSums {
    // Each value until the next sample, also a missing one, which holds nothing. The last sample of
    // the series holds for no time.
    TimeSum held;
    // The straight lines between neighbouring samples with a value: of a power its energy.
    TimeSum line;
    std::optional<double> max; // over the samples inside and the value at the begin
};

// The straight line between two samples.
struct SampleLine {
    store::Sample from;
    store::Sample to;

    // `part` lies between the two; an empty one is a moment.
    [[nodiscard]] double meanOver(TimeRange part) const;
};

// Walks forward through a series, so that the sums of neighbouring stretches add up to those of the
// whole. Moments must not go back.
class SampleWalk {
public:
    // gapLimit: samples farther apart have no line between them; 0: there are no lines.
    // lag: how much later than the moments asked for the series' stamps are.
    SampleWalk(const store::Store& store, SeriesId series, TimeNs begin, DurationNs gapLimit = {},
        DurationNs lag = {}, KeepGoing keepGoing = {});

    // From the moment before, at first `begin`, to `until`.
    Result<HeldSums> to(TimeNs until);
    // The last sample at or before that moment; NaN where there is none or it is missing.
    Result<double> heldAt(TimeNs moment);
    // From the last sample with a value before that moment to the first at or behind it; absent
    // where one of them is missing, or the two are too far apart.
    Result<std::optional<SampleLine>> lineAt(TimeNs moment);

private:
    Status start();
    Status nextPoint(); // right becomes left
    void add(TimeRange part, HeldSums& sums) const;
    [[nodiscard]] std::optional<SampleLine> line() const;

    const store::Store* m_store;
    SeriesId m_series;
    DurationNs m_gapLimit;
    DurationNs m_lag;
    KeepGoing m_keepGoing;
    TimeNs m_now;
    std::optional<SampleCursor> m_cursor; // absent before the first question
    // Neighbouring samples that have a value, and the one behind the left that may have none.
    std::optional<store::Sample> m_left;
    std::optional<store::Sample> m_right;
    std::optional<TimeNs> m_heldUntil;
};

} // namespace trainscope::analysis
