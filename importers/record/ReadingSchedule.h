#pragma once
// ReadingSchedule: how long a reading may wait until it is asked for again, from what its call
// costs, measured as it runs, and from when its counters wrap.
//
//   Round    with every sample; one that costs more than 1 % of a core would, so seldom that it
//            costs that
//   Lagging  the same, every 100 ms at most, as drivers renew it
//   Running  so seldom that it costs its part of 0.01 % of a core at 50 ms between samples, and of
//            shorter intervals as much more, 0.03 % at most; every fourth sample or 200 ms at most,
//            after ten minutes every tenth or 500 ms, within 2 s. A counter of 32 bits three times
//            in two wraps at the rate just seen, and with every sample where it nearly wrapped
//            since the last reading: its rate may be higher than it seems. Never longer than eight
//            times the median so far: ten times would be a hole in the series
//   Seldom   every second
//   Setting  every five seconds
//   Total    every ten seconds
//
// Never before the next sample is due.

#include "core/model/Time.h"
#include "importers/record/Probe.h"

#include <array>
#include <cstdint>

namespace trainscope::record {

class ReadingSchedule {
public:
    // `part`: of what a running reading may cost; those of a probe that has many share.
    ReadingSchedule(Pace pace, DurationNs interval, double part = 1.0);

    // A call took so many seconds of a processor. Among its counters of 32 bits the fastest went
    // `wraps` of a whole wrap since the call before, `seconds` ago; 0 where there are none.
    void asked(double cost, double wraps, double seconds);
    [[nodiscard]] DurationNs period() const { return m_period; }
    [[nodiscard]] double cost() const { return m_cost; } // s of a processor, of late calls

private:
    [[nodiscard]] double affordable() const; // s
    [[nodiscard]] double affordableRunning() const; // s
    [[nodiscard]] std::int64_t withoutHole(std::int64_t period);

    Pace m_pace;
    DurationNs m_interval;
    double m_part;
    DurationNs m_period;
    double m_cost = 0.0;
    double m_since = 0.0; // s since the first call
    bool m_isFirst = true;
    // Numbers of long periods, by length: from the interval times a power of two on.
    std::array<std::int64_t, 24> m_octaves{};
};

} // namespace trainscope::record
