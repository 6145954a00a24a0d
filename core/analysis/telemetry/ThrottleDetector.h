#pragma once
// Throttle episodes of one GPU, design section 5: sm_clock below 97 % of the run's 95th-percentile
// clock while gpu_utilization ≥ 0.5, at least two samples in a row. An episode ends with the first
// sample that is not throttled, or at its last sample where the recording has a hole or a missing
// clock. A sample counts as thermal if the source's reasons say so or the temperature is within
// 3 °C of the slowdown limit, as power if the reasons say so or the power is at least 97 % of its
// limit, else as other; an episode's cause is the one that held longest.
//
// Pure arithmetic; feed the clock samples of one GPU in time order. SI.

#include "core/model/Time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

enum class ThrottleCause { Thermal, Power, Other };
std::string_view toString(ThrottleCause cause); // "thermal", "power", "other"

inline constexpr double kThrottledClock = 0.97; // of the reference clock
inline constexpr double kBusyUtilization = 0.5;
inline constexpr double kNearSlowdownC = 3.0;
inline constexpr double kNearPowerLimit = 0.97;

struct ThrottleLimits {
    double referenceClockHz = 0.0; // 95th percentile of the run
    std::optional<double> slowdownTemperatureC;
    std::optional<double> powerLimitW;
    std::int64_t holeNs = 0; // a longer interval between two samples is a hole
};

// A clock sample and what the GPU's other sensors hold at that moment; NaN: not known.
struct GpuMoment {
    TimeNs time;
    double clockHz;
    double utilization;
    double temperatureC;
    double powerW;
    std::optional<std::uint64_t> reasons; // NVML's clocks event reasons
};

struct ThrottleEpisode {
    TimeRange range;
    ThrottleCause cause = ThrottleCause::Other;
    double lostSeconds = 0.0; // Σ dt·(1 − clock / reference clock)
    std::int64_t samples = 0;
};

class ThrottleDetector {
public:
    explicit ThrottleDetector(const ThrottleLimits& limits)
        : m_limits(limits) { }
    void add(const GpuMoment& moment);
    // Closes what is open. Every episode in order of time.
    std::vector<ThrottleEpisode> finish();

private:
    [[nodiscard]] bool isThrottled(const GpuMoment& moment) const;
    [[nodiscard]] ThrottleCause causeOf(const GpuMoment& moment) const;
    void hold(TimeNs until);
    void close(TimeNs end);

    ThrottleLimits m_limits;
    std::vector<ThrottleEpisode> m_episodes;
    std::optional<ThrottleEpisode> m_open;
    std::array<std::int64_t, 3> m_heldNs{}; // by cause, of the open episode
    GpuMoment m_last{};
};

} // namespace trainscope::analysis
