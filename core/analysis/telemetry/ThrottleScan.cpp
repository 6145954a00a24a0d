#include "core/analysis/telemetry/Throttling.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/ThrottleInference.h"
#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr double kReferenceQuantile = 0.95;
constexpr const char* kRecorded = "recorded";
constexpr const char* kLaunch = "launch";
constexpr const char* kCatalogue = "catalogue";
constexpr const char* kInferred = "inferred";
constexpr std::int64_t kSamplesPerQuestion = 4096;

// Origin of facts that the catalogue has of the run's model.
const char* originOf(const Run& run) {
    return catalogue::isInferredName(run.gpuModel) ? kInferred : kCatalogue;
}

const Series* find(const GpuSeries& gpu, const char* metric) {
    const auto found = gpu.find(metric);
    return found == gpu.end() || found->second.count == 0 ? nullptr : &found->second;
}

bool canThrottle(const GpuSeries& gpu) {
    return find(gpu, metric::kSmClock) != nullptr && find(gpu, metric::kGpuUtilization) != nullptr;
}

// A sensor that may not be there.
class Sensor {
public:
    Sensor(const store::Store& store, const Series* series, TimeNs begin) {
        if (series != nullptr)
            m_walk.emplace(store, series->id, begin);
    }
    Result<double> at(TimeNs moment) {
        return m_walk ? m_walk->heldAt(moment) : Result<double>(std::nan(""));
    }

private:
    std::optional<SampleWalk> m_walk;
};

// The clock samples of one GPU with what its other sensors hold.
class GpuWalk {
public:
    GpuWalk(const store::Store& store, const GpuSeries& gpu, TimeRange window)
        : m_clock(store, find(gpu, metric::kSmClock)->id, window)
        , m_utilization(store, find(gpu, metric::kGpuUtilization), window.begin)
        , m_temperature(store, find(gpu, metric::kGpuTemperature), window.begin)
        , m_power(store, find(gpu, metric::kGpuPower), window.begin)
        , m_reasons(store, find(gpu, metric::kThrottleReasons), window.begin) { }

    template <typename Take>
    Status run(const Take& take, const std::function<bool()>& keepGoing) {
        RETURN_IF_ERROR(m_clock.start());
        for (std::int64_t i = 1; !m_clock.atEnd(); ++i) {
            if (i % kSamplesPerQuestion == 0 && !keepGoing())
                return cancelled();
            ASSIGN_OR_RETURN(auto moment, current());
            take(moment);
            RETURN_IF_ERROR(m_clock.next());
        }
        return {};
    }

private:
    Result<GpuMoment> current() {
        const TimeNs time = m_clock.time();
        GpuMoment moment{time, m_clock.value(), 0.0, 0.0, 0.0, std::nullopt};
        ASSIGN_OR_RETURN(moment.utilization, m_utilization.at(time));
        ASSIGN_OR_RETURN(moment.temperatureC, m_temperature.at(time));
        ASSIGN_OR_RETURN(moment.powerW, m_power.at(time));
        ASSIGN_OR_RETURN(const auto reasons, m_reasons.at(time));
        if (reasons >= 0.0)
            moment.reasons = static_cast<std::uint64_t>(reasons);
        return moment;
    }

    SampleCursor m_clock;
    Sensor m_utilization;
    Sensor m_temperature;
    Sensor m_power;
    Sensor m_reasons;
};

// Time held under each of a GPU's reasons.
class ReasonClock {
public:
    ReasonClock(std::int64_t holeNs, TimeRange window)
        : m_holeNs(holeNs)
        , m_window(window) { }
    void add(const GpuMoment& moment) {
        if (m_last && m_last->reasons && (moment.time - m_last->time).ns <= m_holeNs)
            hold(*m_last->reasons, shared({m_last->time, moment.time}, m_window));
        m_last = moment;
    }
    void addTo(std::map<std::string, double>& seconds) const {
        for (const auto& [name, held] : m_heldNs)
            seconds[name] += static_cast<double>(held) * 1e-9;
    }

private:
    void hold(std::uint64_t reasons, TimeRange range) {
        for (const MaskBit& reason : throttleReasonBits()) {
            if ((reasons & reason.bit) != 0 && !range.isEmpty())
                m_heldNs[std::string(reason.name)] += range.length().ns;
        }
    }

    std::int64_t m_holeNs;
    TimeRange m_window;
    std::optional<GpuMoment> m_last;
    std::map<std::string, std::int64_t> m_heldNs;
};

class ThrottleScan {
public:
    ThrottleScan(const RunStudy& study, const std::map<int, GpuSeries>& gpus, TimeRange window,
        const std::function<bool()>& keepGoing)
        : m_store(study.store)
        , m_run(study.run)
        , m_gpus(gpus)
        , m_window(window)
        , m_keepGoing(keepGoing) {
        if (const auto* model = catalogue::findGpuModel(study.run.gpuModel))
            m_found.slowdownTemperatureC = model->slowdownC;
        if (m_found.slowdownTemperatureC)
            m_found.slowdownOrigin = originOf(study.run);
    }

    Result<std::optional<Throttling>> run(DurationNs duration) {
        RETURN_IF_ERROR(findReference());
        if (!(m_found.referenceClockHz > 0.0))
            return std::optional<Throttling>();
        double throttled = 0.0;
        ASSIGN_OR_RETURN(throttled, addGpus());
        if (m_found.causes.contains(ThrottleCause::Other)) {
            RETURN_IF_ERROR(inferLimits());
            if (m_usualPlateau || m_givesWay) {
                forgetEpisodes();
                ASSIGN_OR_RETURN(throttled, addGpus());
                tellPlateau();
            }
        }
        tellModel();
        const double all = duration.seconds() * static_cast<double>(m_gpus.size());
        m_found.fraction = all > 0.0 ? throttled / all : 0.0;
        std::stable_sort(m_found.episodes.begin(), m_found.episodes.end(),
            [](const RankEpisode& a, const RankEpisode& b) {
                return a.episode.range.begin < b.episode.range.begin;
            });
        return std::optional<Throttling>(std::move(m_found));
    }

private:
    Status findReference() {
        Distribution clocks;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!canThrottle(gpu))
                continue;
            ASSIGN_OR_RETURN(auto statistics,
                seriesStatistics(m_store, *find(gpu, metric::kSmClock), m_keepGoing));
            clocks.add(std::move(statistics.distribution));
        }
        m_found.referenceClockHz = clocks.quantile(kReferenceQuantile).value_or(0.0);
        return {};
    }

    // Their throttled seconds.
    Result<double> addGpus() {
        double throttled = 0.0;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!canThrottle(gpu))
                continue;
            ASSIGN_OR_RETURN(const auto seconds, addGpu(rank, gpu));
            throttled += seconds;
        }
        return throttled;
    }

    void forgetEpisodes() {
        m_found.episodes.clear();
        m_found.causes.clear();
        m_found.reasonSeconds.clear();
        m_found.lostGpuSeconds = 0.0;
        m_found.inferredGpuSeconds = 0.0;
        m_found.powerLimitW.reset();
        m_found.powerLimitOrigin.clear();
    }

    // Over the whole run: limits do not change with the window.
    Status inferLimits() {
        ThrottleEvidence all(m_found.referenceClockHz);
        std::vector<double> plateaus;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!canThrottle(gpu) || find(gpu, metric::kThrottleReasons) != nullptr)
                continue;
            ThrottleEvidence own(m_found.referenceClockHz);
            RETURN_IF_ERROR(
                GpuWalk(m_store, gpu, kAllTime)
                    .run([&own](const GpuMoment& moment) { own.add(moment); }, m_keepGoing));
            if (const auto plateau = own.powerPlateauW()) {
                m_plateaus[rank] = *plateau;
                plateaus.push_back(*plateau);
            }
            all.add(own);
        }
        takeGiveWay(all.giveWayTemperatureC());
        if (!plateaus.empty())
            m_usualPlateau = upperMedian(std::move(plateaus));
        return {};
    }

    void takeGiveWay(const std::optional<double>& temperatureC) {
        const auto& known = m_found.slowdownTemperatureC;
        if (!temperatureC || (known && *temperatureC >= *known - kNearSlowdownC))
            return;
        m_givesWay = true;
        m_found.slowdownTemperatureC = temperatureC;
        m_found.slowdownOrigin = kInferred;
        m_found.evidence.push_back(
            fmt::format("Clocks give way where the temperature reaches {}, and not below.",
                text::rounded(*temperatureC, "°C")));
    }

    void takePowerLimit(int rank, const GpuSeries& gpu, ThrottleLimits& limits) {
        const auto known = powerLimitOf(m_run, gpu);
        const auto own = m_plateaus.find(rank);
        const std::optional<double> plateau
            = own == m_plateaus.end() ? m_usualPlateau : std::optional(own->second);
        // A plateau tells more than a guessed model; of a known one it is a lower setting.
        const bool isTold = known
            && (known->origin == kRecorded || known->origin == kLaunch
                || (known->origin == kCatalogue
                    && plateau.value_or(known->watts) >= kNearPowerLimit * known->watts));
        if (!known && !plateau)
            return;
        const bool takesPlateau = plateau && !isTold;
        limits.powerLimitW = takesPlateau ? *plateau : known->watts;
        limits.isPowerLimitInferred = takesPlateau || known->origin == kInferred;
        if (*limits.powerLimitW <= m_found.powerLimitW.value_or(0.0))
            return;
        m_found.powerLimitW = limits.powerLimitW;
        m_found.powerLimitOrigin = takesPlateau ? kInferred : known->origin;
    }

    // Says that episodes go by the limits of a guessed model.
    void tellModel() {
        const bool isOfModel = (m_found.powerLimitOrigin == kInferred && m_plateaus.empty())
            || (m_found.slowdownOrigin == kInferred && !m_givesWay
                && m_found.causes.contains(ThrottleCause::Thermal));
        if (isOfModel && m_found.inferredGpuSeconds > 0.0)
            m_found.evidence.push_back("The limits are those of " + m_run.gpuModel + ".");
    }

    void tellPlateau() {
        if (m_found.powerLimitOrigin != kInferred || m_plateaus.empty())
            return;
        const auto [low, high] = std::minmax_element(m_plateaus.begin(), m_plateaus.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
        const std::string level = high->second - low->second < 1.0
            ? text::rounded(high->second, "W")
            : fmt::format(
                "{} to {}", text::rounded(low->second, "W"), text::rounded(high->second, "W"));
        m_found.evidence.push_back(
            fmt::format("Power of throttled GPUs stands at {} while their clocks vary.", level));
    }

    ThrottleLimits limitsOf(int rank, const GpuSeries& gpu) {
        ThrottleLimits limits;
        limits.referenceClockHz = m_found.referenceClockHz;
        limits.slowdownTemperatureC = m_found.slowdownTemperatureC;
        limits.isSlowdownInferred = m_found.slowdownOrigin == kInferred;
        takePowerLimit(rank, gpu, limits);
        limits.holeNs = static_cast<std::int64_t>(EnergyIntegral::kGapPeriods
            * static_cast<double>(samplingPeriod(*find(gpu, metric::kSmClock)).ns));
        return limits;
    }

    // Its throttled seconds.
    Result<double> addGpu(int rank, const GpuSeries& gpu) {
        const ThrottleLimits limits = limitsOf(rank, gpu);
        ThrottleDetector detector(limits, m_window);
        ReasonClock reasons(limits.holeNs, m_window);
        const auto take = [&](const GpuMoment& moment) {
            detector.add(moment);
            reasons.add(moment);
        };
        // Samples around the window tell whether it begins or ends throttled.
        const DurationNs around{2 * limits.holeNs};
        RETURN_IF_ERROR(GpuWalk(m_store, gpu, {m_window.begin - around, m_window.end + around})
                            .run(take, m_keepGoing));
        reasons.addTo(m_found.reasonSeconds);
        double seconds = 0.0;
        for (const ThrottleEpisode& episode : detector.finish()) {
            const double length = episode.range.length().seconds();
            seconds += length;
            m_found.inferredGpuSeconds += episode.isCauseInferred ? length : 0.0;
            m_found.lostGpuSeconds += episode.lostSeconds;
            ThrottleSum& sum = m_found.causes[episode.cause];
            ++sum.episodes;
            sum.gpuSeconds += length;
            sum.lostGpuSeconds += episode.lostSeconds;
            m_found.episodes.push_back({rank, episode});
        }
        return seconds;
    }

    const store::Store& m_store;
    const Run& m_run;
    const std::map<int, GpuSeries>& m_gpus;
    TimeRange m_window;
    const std::function<bool()>& m_keepGoing;
    std::map<int, double> m_plateaus; // W, by rank
    std::optional<double> m_usualPlateau;
    bool m_givesWay = false; // the slowdown temperature is what the samples show
    Throttling m_found;
};

} // namespace

std::optional<PowerLimit> powerLimitOf(const Run& run, const GpuSeries& gpu) {
    const Series* recorded = find(gpu, metric::kPowerLimit);
    if (recorded != nullptr && recorded->mean > 0.0)
        return PowerLimit{recorded->mean, kRecorded};
    if (run.launch.powerLimitW.value_or(0) > 0)
        return PowerLimit{static_cast<double>(*run.launch.powerLimitW), kLaunch};
    const auto* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr || !model->powerLimitW)
        return std::nullopt;
    // Readings of a card with two dies may be those of both.
    const Series* power = find(gpu, metric::kGpuPower);
    const bool isOfCard
        = model->gpusPerCard > 1 && power != nullptr && power->max > *model->powerLimitW;
    return PowerLimit{*model->powerLimitW * (isOfCard ? model->gpusPerCard : 1), originOf(run)};
}

namespace {

Result<std::optional<Throttling>> findThrottling(const RunStudy& study, TimeRange window) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(const auto recorded, study.store.gpus(study.run.id));
    auto gpus = gpuSeriesByRank(series);
    for (const Gpu& gpu : recorded)
        gpus.try_emplace(gpu.rank); // of which nothing is known
    const DurationNs duration = window == kAllTime ? runDuration(series, tracks) : window.length();
    const std::function<bool()> keepGoing = [&study] {
        return !study.progress || study.progress({"Finding throttle episodes", 0, 0});
    };
    return ThrottleScan(study, gpus, window, keepGoing).run(duration);
}

Result<std::optional<Throttling>> findThrottlingOfAll(const RunStudy& study) {
    return findThrottling(study, kAllTime);
}

} // namespace

Result<std::optional<Throttling>> throttlingOf(const RunStudy& study, TimeRange window) {
    return window == kAllTime ? study.once(findThrottlingOfAll) : findThrottling(study, window);
}

} // namespace trainscope::analysis
