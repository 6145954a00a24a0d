#pragma once
// Throttle episodes: found in the samples of one GPU, in all GPUs of a run, and what they cost.

#include "core/analysis/RunStudy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/model/Time.h"
#include "core/store/Store.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

// Throttle episodes of one GPU: sm_clock below 97 % of the run's 95th-percentile
// clock while gpu_utilization ≥ 0.5, at least two samples in a row. An episode ends with the first
// sample that is not throttled, or at its last sample where the recording has a hole or a missing
// clock. A sample counts as thermal if the source's reasons say so or the temperature is within
// 3 °C of the slowdown limit, as power if the reasons say so or the power is at least 97 % of its
// limit, else as other; an episode's cause is the one that held longest. A limit that is inferred
// speaks only where the source says no reasons.
//
// Of a window an episode has the part that lies in it, whatever lies around; feed the samples from
// two holes' lengths before it to as long behind it.
//
// Pure arithmetic; feed the clock samples of one GPU in time order. SI.

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
    bool isSlowdownInferred = false; // nobody states it (ThrottleInference.h, or a guessed model)
    bool isPowerLimitInferred = false;
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
    std::int64_t samples = 0; // also around the window
    bool isCauseInferred = false; // by an inferred limit
};

class ThrottleDetector {
public:
    explicit ThrottleDetector(const ThrottleLimits& limits, TimeRange window = kAllTime)
        : m_limits(limits)
        , m_window(window) { }
    void add(const GpuMoment& moment);
    // Closes what is open. Every episode in order of time.
    std::vector<ThrottleEpisode> finish();

private:
    [[nodiscard]] bool isThrottled(const GpuMoment& moment) const;
    [[nodiscard]] ThrottleCause causeOf(const GpuMoment& moment) const;
    [[nodiscard]] bool isInferred(ThrottleCause cause, const GpuMoment& moment) const;
    void hold(TimeNs until);
    void close(TimeNs end);

    ThrottleLimits m_limits;
    TimeRange m_window;
    std::vector<ThrottleEpisode> m_episodes;
    std::optional<ThrottleEpisode> m_open;
    std::array<std::int64_t, 3> m_heldNs{}; // by cause, of the open episode
    GpuMoment m_last{};
};

// Finds the throttle episodes of a run by walking the sensors of each GPU together.

struct RankEpisode {
    int rank = 0;
    ThrottleEpisode episode;
};

struct ThrottleSum {
    std::int64_t episodes = 0;
    double gpuSeconds = 0.0;
    double lostGpuSeconds = 0.0;
};

struct Throttling {
    double referenceClockHz = 0.0; // 95th percentile over all GPUs of the run, weighted by time
    double fraction = 0.0; // throttled GPU-seconds / all GPU-seconds of the window
    double lostGpuSeconds = 0.0; // against the reference clock, summed over the GPUs
    std::vector<RankEpisode> episodes; // by time, then rank
    std::map<ThrottleCause, ThrottleSum> causes; // the episodes' by their cause
    // GPU-seconds under each reason that the source's throttle_reasons name, throttled or not;
    // empty without them.
    std::map<std::string, double> reasonSeconds;
    // Limits that decided over causes. Temperatures: of the GPU model, else inferred. Power: as the
    // run recorded it, else as it was launched with, else of the GPU model, else inferred; the
    // highest where the GPUs differ. A limit that the samples show takes the place of the model's
    // where clocks give way clearly below that. Absent: not known, so that only the source's
    // reasons can say thermal or power.
    std::optional<double> slowdownTemperatureC;
    std::string slowdownOrigin; // "catalogue", "inferred", empty
    std::optional<double> powerLimitW;
    std::string powerLimitOrigin; // "recorded", "launch", "catalogue", "inferred", empty
    // Evidence of the inferred limits, as sentences.
    std::vector<std::string> evidence;
    // GPU-seconds of the episodes whose cause is inferred.
    double inferredGpuSeconds = 0.0;
};

// Power limit of a GPU: the mean of its recorded power_limit, else the launch's, else its model's.
struct PowerLimit {
    double watts = 0.0;
    std::string origin; // "recorded", "launch", "catalogue", "inferred": of a model that is
};
std::optional<PowerLimit> powerLimitOf(const Run& run, const GpuSeries& gpu);

// Absent where no GPU has both sm_clock and gpu_utilization; GPUs without them count in the
// denominator. Cancelled by progress.
Result<std::optional<Throttling>> throttlingOf(const RunStudy& study, TimeRange window = kAllTime);

// Cost of throttling to a job whose GPUs wait for each other: at each moment the largest share of
// clock that any of them lacks.

// ∫ max over GPUs of (1 − clock / reference clock) dt over the episodes, each at its mean; s.
// In order of time.
double lostToSlowest(const std::vector<RankEpisode>& episodes);

} // namespace trainscope::analysis
