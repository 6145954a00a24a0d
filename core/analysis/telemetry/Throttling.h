#pragma once
// Throttling of GPUs, as the driver's reasons tell it or else their clocks, and the clock that busy
// GPUs lose, which is another quantity: a driver reports a cap of power also where it costs little.

#include "core/analysis/RunStudy.h"
#include "core/analysis/statistics/SeriesSelection.h"

namespace trainscope::analysis {

// Episodes of low clocks of one GPU: sm_clock below 97 % of the run's 95th-percentile
// clock while gpu_utilization ≥ 0.5, at least two samples in a row. An episode ends with the first
// sample that is not so, or at its last sample where the recording has a hole or a missing
// clock. A sample counts as thermal if the source's reasons say so or the temperature is within
// 3 °C of the slowdown limit, as power if the reasons say so or the power is at least 97 % of its
// limit, else as other; an episode's cause is the one that held longest. A limit that is inferred
// speaks only where the source says no reasons.
//
// In a window an episode has the part that lies in it, whatever lies around; feed the samples from
// two holes' lengths before it to as long behind it.
//
// Pure arithmetic; feed the clock samples of one GPU in time order. SI.

enum class ThrottleCause { Thermal, Power, Other };
constexpr auto namesOf(ThrottleCause) {
    return enumNames("thermal", "power", "other");
}
constexpr auto titlesOf(ThrottleCause) {
    return enumNames("heat", "the power limit", "a reason that is not known");
}
using trainscope::titleOf;

// The cause of a throttling GPU by NVML's clocks event reasons: slowdown by heat, in software or
// hardware; cap of power or power brake; hardware slowdown without one of these. Absent where none
// of them holds: idle, set clocks, sync boost and the display's clocks take nothing from what the
// GPU was asked for.
std::optional<ThrottleCause> throttleCauseOf(std::uint64_t reasons);

inline constexpr double kThrottledClock = 0.97; // share of the reference clock
inline constexpr double kBusyUtilization = 0.5;
inline constexpr double kNearSlowdownC = 3.0;
inline constexpr double kNearPowerLimit = 0.97;

struct ThrottleLimits {
    double referenceClockHz = 0.0; // 95th percentile of the run
    std::optional<double> slowdownTemperatureC;
    std::optional<double> powerLimitW;
    std::int64_t holeNs = 0; // a longer interval between two samples is a hole
    bool isSlowdownInferred = false; // nobody states it (below, or a guessed model)
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

// The share of the reference clock that a busy GPU lacks; absent where its clock is not low.
std::optional<double> clockLackOf(const GpuMoment& moment, double referenceClockHz);

struct ThrottleEpisode {
    TimeRange range;
    ThrottleCause cause = ThrottleCause::Other;
    double lostSeconds = 0.0; // Σ dt·(1 − clock / reference clock), of low clocks alone
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

struct RankEpisode {
    int rank = 0;
    ThrottleEpisode episode;
};

// The clock that busy GPUs lose: Σ dt·(1 − clock / reference clock) over their episodes of low
// clocks, whatever the driver says.
struct ClockLoss {
    double referenceClockHz = 0.0; // 95th percentile over all GPUs of the run, weighted by time
    double gpuSeconds = 0.0;
    double fraction = 0.0; // share of all GPU-seconds of the window
    std::vector<RankEpisode> episodes; // by time, then rank
};

struct ThrottleSum {
    std::int64_t episodes = 0;
    double gpuSeconds = 0.0;
    double lostGpuSeconds = 0.0; // clock lost meanwhile
};

// Throttled time of one GPU or several, of the time over which that can be told.
struct ThrottledTime {
    double seconds = 0.0;
    double ofSeconds = 0.0;

    [[nodiscard]] double fraction() const { return ofSeconds > 0.0 ? seconds / ofSeconds : 0.0; }
};

enum class ThrottleBasis {
    // The driver's, of the time they were read: each reading holds until the next, a missing one
    // tells nothing, as in the shares of states. An episode has one cause and any length.
    Reasons,
    Clocks, // without reasons: episodes of low clocks, of all GPU-seconds of the window
};
constexpr auto namesOf(ThrottleBasis) {
    return enumNames("reasons", "clocks");
}

struct Throttling {
    ThrottleBasis basis = ThrottleBasis::Clocks;
    // By reasons the mean over the GPUs of their fractions, as the shares of throttle_reasons; by
    // clocks throttled GPU-seconds / all GPU-seconds.
    double fraction = 0.0;
    std::vector<RankEpisode> episodes; // by time, then rank
    std::map<ThrottleCause, ThrottleSum> causes; // the episodes' by their cause
    std::map<int, ThrottledTime> gpus; // by rank, those of which it can be told
    std::vector<TimeRange> observed; // stretches of single GPUs over which it can be told
    std::optional<ClockLoss> clockLost; // needs sm_clock and gpu_utilization
    // Limits that decided over causes of low clocks. Temperatures: of the GPU model, else inferred.
    // Power: as the run recorded it, else as it was launched with, else of the GPU model, else
    // inferred; the highest where the GPUs differ. A limit that the samples show takes the place of
    // the model's where clocks give way clearly below that. Absent: not known, so that only the
    // source's reasons can say thermal or power.
    std::optional<double> slowdownTemperatureC;
    std::string slowdownOrigin; // "catalogue", "inferred", empty
    std::optional<double> powerLimitW;
    std::string powerLimitOrigin; // "recorded", "launch", "catalogue", "inferred", empty
    // Evidence of the inferred limits, as sentences.
    std::vector<std::string> evidence;
    // GPU-seconds of the episodes whose cause is inferred.
    double inferredGpuSeconds = 0.0;

    [[nodiscard]] const char* metric() const; // metric that shows it
    [[nodiscard]] double shareOf(ThrottleCause cause) const; // share of the time that can be told
    [[nodiscard]] ThrottleCause mainCause() const;
    [[nodiscard]] const RankEpisode& longest() const; // there must be one
};

// Power limit of a GPU: the mean of its recorded power_limit, else the launch's, else its model's.
struct PowerLimit {
    double watts = 0.0;
    std::string origin; // "recorded", "launch", "catalogue", "inferred": of a model that is
};
std::optional<PowerLimit> powerLimitOf(const Run& run, const GpuSeries& gpu);

// Absent where no GPU has reasons that were read in the window, nor both sm_clock and
// gpu_utilization; told from clocks, GPUs without them count in the denominator. Cancelled by
// progress.
Result<std::optional<Throttling>> throttlingOf(const RunStudy& study, TimeRange window = kAllTime);

// Cost of low clocks to a job whose GPUs wait for each other: at each moment the largest share of
// clock that any of them lacks.

// ∫ max over GPUs of (1 − clock / reference clock) dt over the episodes, each at its mean; s.
// In order of time.
double lostToSlowest(const std::vector<RankEpisode>& episodes);

// Infers the limit that holds a GPU back from throttled samples, where no source states it: a power
// cap shows as a plateau of power, a thermal limit as the temperature at which clocks give way.
// Pure arithmetic; SI.

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
