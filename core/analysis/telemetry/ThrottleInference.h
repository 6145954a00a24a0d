#pragma once
// Infers the limit that holds a GPU back from throttled samples, where no source states it: a power
// cap shows as a plateau of power, a thermal limit as the temperature at which clocks give way.
// Pure arithmetic; SI.

#include "core/analysis/telemetry/Throttling.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::analysis {

// Counts of busy samples by power and by temperature; whole watts and degrees.
class ThrottleEvidence {
public:
    explicit ThrottleEvidence(double referenceClockHz);
    // The samples of one GPU in time order. A sample after an idle one begins nothing: what held
    // the GPU back may have begun before.
    void add(const GpuMoment& moment);
    void add(const ThrottleEvidence& other);

    // The power at which the throttled samples stand: the median of those within 3 % of their
    // 95th percentile. Absent unless these are at least 60 % of the throttled samples, their
    // clocks vary, no busy sample draws clearly more, and samples on the plateau throttle twice as
    // often as those below it.
    [[nodiscard]] std::optional<double> powerPlateauW() const;
    // The median temperature at which throttling begins. Absent unless it is 70 °C or more, 80 % of
    // the beginnings are within 2 °C of it, three quarters of the busy samples from there on
    // throttle and hardly any more than 3 °C below it.
    [[nodiscard]] std::optional<double> giveWayTemperatureC() const;

private:
    struct Count {
        std::int64_t throttled = 0;
        std::int64_t free = 0; // busy and not throttled
        std::int64_t begins = 0; // begins of throttling
        double clocks = 0.0; // Σ clock / reference of the throttled
        double clockSquares = 0.0;
    };
    static constexpr std::size_t kPowers = 4096;
    static constexpr std::size_t kTemperatures = 160;

    double m_referenceClockHz;
    std::vector<Count> m_powers;
    std::array<Count, kTemperatures> m_temperatures{};
    bool m_wasFree = false; // the last sample was busy and not throttled
};

} // namespace trainscope::analysis
