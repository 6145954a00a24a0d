#include "core/analysis/telemetry/Throttling.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/catalogue/GpuGuess.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr double kReferenceQuantile = 0.95;
constexpr const char* kRecorded = "recorded";
constexpr const char* kLaunch = "launch";
constexpr const char* kCatalogue = "catalogue";
constexpr const char* kInferred = "inferred";
constexpr std::int64_t kSamplesPerQuestion = 4096;

using KeepGoing = std::function<bool()>;

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

// The samples of one of a GPU's sensors with what its others hold then.
class GpuWalk {
public:
    GpuWalk(
        const store::Store& store, const GpuSeries& gpu, std::string_view lead, TimeRange window)
        : m_isByClock(lead == metric::kSmClock)
        , m_lead(store, find(gpu, m_isByClock ? metric::kSmClock : metric::kThrottleReasons)->id,
              window)
        , m_other(store, find(gpu, m_isByClock ? metric::kThrottleReasons : metric::kSmClock),
              window.begin)
        , m_utilization(store, find(gpu, metric::kGpuUtilization), window.begin)
        , m_temperature(store, find(gpu, metric::kGpuTemperature), window.begin)
        , m_power(store, find(gpu, metric::kGpuPower), window.begin) { }

    // `take` says false where it has enough.
    template <typename Take>
    Status run(const Take& take, const KeepGoing& keepGoing) {
        RETURN_IF_ERROR(m_lead.start());
        for (std::int64_t i = 1; !m_lead.atEnd(); ++i) {
            if (i % kSamplesPerQuestion == 0 && !keepGoing())
                return cancelled();
            ASSIGN_OR_RETURN(auto moment, current());
            if (!take(moment))
                return {};
            RETURN_IF_ERROR(m_lead.next());
        }
        return {};
    }

private:
    Result<GpuMoment> current() {
        const TimeNs time = m_lead.time();
        GpuMoment moment{time, m_lead.value(), 0.0, 0.0, 0.0, std::nullopt};
        ASSIGN_OR_RETURN(double reasons, m_other.at(time));
        if (!m_isByClock)
            std::swap(moment.clockHz, reasons);
        moment.reasons = wholeNumber<std::uint64_t>(reasons);
        ASSIGN_OR_RETURN(moment.utilization, m_utilization.at(time));
        ASSIGN_OR_RETURN(moment.temperatureC, m_temperature.at(time));
        ASSIGN_OR_RETURN(moment.powerW, m_power.at(time));
        return moment;
    }

    bool m_isByClock;
    SampleCursor m_lead;
    Sensor m_other; // reasons, or the clock
    Sensor m_utilization;
    Sensor m_temperature;
    Sensor m_power;
};

class ThrottleScan {
public:
    ThrottleScan(const RunStudy& study, const std::map<int, GpuSeries>& gpus, TimeRange window)
        : m_study(study)
        , m_gpus(gpus)
        , m_window(window) {
        if (const auto* model = catalogue::findGpuModel(study.run.gpuModel))
            m_found.slowdownTemperatureC = model->slowdownC;
        if (m_found.slowdownTemperatureC)
            m_found.slowdownOrigin = originOf(study.run);
    }

    Result<std::optional<Throttling>> run(DurationNs duration) {
        const double all = duration.seconds() * static_cast<double>(m_gpus.size());
        RETURN_IF_ERROR(findReference());
        if (m_lost.referenceClockHz > 0.0) {
            RETURN_IF_ERROR(findLowClocks());
            m_lost.fraction = all > 0.0 ? m_lost.gpuSeconds / all : 0.0;
            inOrder(m_lost.episodes);
            m_found.clockLost = m_lost;
        }
        RETURN_IF_ERROR(readReasons());
        if (m_found.basis == ThrottleBasis::Clocks) {
            if (!m_found.clockLost)
                return std::optional<Throttling>();
            takeLowClocks(duration);
        }
        sumUp(all);
        tellModel();
        return std::optional<Throttling>(std::move(m_found));
    }

private:
    // True where some clock of a GPU that may be busy is low.
    [[nodiscard]] bool mayLackClock(const GpuSeries& gpu) const {
        return canThrottle(gpu)
            && find(gpu, metric::kSmClock)->min < kThrottledClock * m_lost.referenceClockHz;
    }

    // ask(store, GPU, whether to go on) → Result, of the GPUs that are wanted.
    template <typename IsWanted, typename Ask, typename Take>
    Status forEachGpu(const IsWanted& isWanted, const Ask& ask, const Take& take) const {
        std::vector<std::pair<int, const GpuSeries*>> wanted;
        for (const auto& [rank, gpu] : m_gpus) {
            if (isWanted(gpu))
                wanted.emplace_back(rank, &gpu);
        }
        return forEachPart(
            m_study, "Finding throttle episodes", wanted,
            [&ask](const store::Store& store, const std::pair<int, const GpuSeries*>& gpu,
                const Progress& progress) {
                return ask(store, gpu.first, *gpu.second, [&progress] {
                    return progress({"", 0, 0});
                });
            },
            [&take](const std::pair<int, const GpuSeries*>& gpu, auto&& answer) {
                take(gpu.first, std::forward<decltype(answer)>(answer));
                return Status();
            });
    }

    Status findReference() {
        Distribution clocks;
        RETURN_IF_ERROR(forEachGpu(
            canThrottle,
            [](const store::Store& store, int, const GpuSeries& gpu, const KeepGoing& keepGoing) {
                return seriesStatistics(store, *find(gpu, metric::kSmClock), keepGoing);
            },
            [&clocks](int, SeriesStatistics&& statistics) {
                clocks.add(std::move(statistics.distribution));
            }));
        m_lost.referenceClockHz = clocks.quantile(kReferenceQuantile).value_or(0.0);
        return {};
    }

    static void inOrder(std::vector<RankEpisode>& episodes) {
        std::ranges::stable_sort(
            episodes, {}, [](const RankEpisode& one) { return one.episode.range.begin; });
    }

    Status findLowClocks() {
        RETURN_IF_ERROR(addLowClocks());
        const bool isAnyOther = std::any_of(m_lost.episodes.begin(), m_lost.episodes.end(),
            [](const RankEpisode& one) { return one.episode.cause == ThrottleCause::Other; });
        if (!isAnyOther)
            return {};
        RETURN_IF_ERROR(inferLimits());
        if (!m_usualPlateau && !m_givesWay)
            return {};
        m_lost.episodes.clear();
        m_lost.gpuSeconds = 0.0;
        m_found.powerLimitW.reset();
        m_found.powerLimitOrigin.clear();
        RETURN_IF_ERROR(addLowClocks());
        tellPlateau();
        return {};
    }

    Status addLowClocks() {
        std::map<int, ThrottleLimits> limits;
        for (const auto& [rank, gpu] : m_gpus) {
            if (canThrottle(gpu))
                limits[rank] = limitsOf(rank, gpu);
        }
        using Episodes = Result<std::vector<ThrottleEpisode>>;
        return forEachGpu([this](const GpuSeries& gpu) { return mayLackClock(gpu); },
            [&](const store::Store& store, int rank, const GpuSeries& gpu,
                const KeepGoing& keepGoing) -> Episodes {
                const ThrottleLimits& own = limits.at(rank);
                ThrottleDetector detector(own, m_window);
                // Samples around the window tell whether it begins or ends with low clocks.
                const DurationNs around = DurationNs{own.holeNs} + DurationNs{own.holeNs};
                GpuWalk walk(
                    store, gpu, metric::kSmClock, {m_window.begin - around, m_window.end + around});
                RETURN_IF_ERROR(walk.run(
                    [&detector](const GpuMoment& moment) {
                        detector.add(moment);
                        return true;
                    },
                    keepGoing));
                return detector.finish();
            },
            [this](int rank, std::vector<ThrottleEpisode>&& episodes) {
                for (const ThrottleEpisode& episode : episodes) {
                    m_lost.gpuSeconds += episode.lostSeconds;
                    m_lost.episodes.push_back({rank, episode});
                }
            });
    }

    // The reasons of one GPU over the window.
    struct Reasons {
        double ofSeconds = 0.0;
        std::vector<TimeRange> observed;
        std::vector<ThrottleEpisode> episodes;
    };

    // Reads them of the GPUs that have them.
    Status readReasons() {
        RETURN_IF_ERROR(forEachGpu(
            [](const GpuSeries& gpu) { return find(gpu, metric::kThrottleReasons) != nullptr; },
            [this](const store::Store& store, int, const GpuSeries& gpu,
                const KeepGoing& keepGoing) { return reasonsOf(store, gpu, keepGoing); },
            [this](int rank, Reasons&& own) {
                if (own.observed.empty())
                    return;
                m_found.basis = ThrottleBasis::Reasons;
                m_found.gpus[rank].ofSeconds += own.ofSeconds;
                m_found.observed.insert(
                    m_found.observed.end(), own.observed.begin(), own.observed.end());
                for (const ThrottleEpisode& episode : own.episodes)
                    m_found.episodes.push_back({rank, episode});
            }));
        inOrder(m_found.episodes);
        return {};
    }

    // From the reading that holds when the window begins, beside the clock where that is ever low.
    Result<Reasons> reasonsOf(
        const store::Store& store, const GpuSeries& gpu, const KeepGoing& keepGoing) const {
        const Series& reasons = *find(gpu, metric::kThrottleReasons);
        GpuSeries told{{metric::kThrottleReasons, reasons}};
        for (const char* metric : {metric::kSmClock, metric::kGpuUtilization}) {
            if (mayLackClock(gpu))
                told.emplace(metric, gpu.at(metric));
        }
        ASSIGN_OR_RETURN(const auto before, store.lastBefore(reasons.id, m_window.begin));
        const TimeNs from = before ? before->time : m_window.begin;
        Reasons found;
        std::optional<GpuMoment> last;
        const auto take = [&](const GpuMoment& reading) {
            if (last && last->reasons)
                hold(*last, shared({last->time, reading.time}, m_window), found);
            last = reading;
            return reading.time < m_window.end;
        };
        GpuWalk walk(store, told, metric::kThrottleReasons, {from, kAllTime.end});
        RETURN_IF_ERROR(walk.run(take, keepGoing));
        return found;
    }

    void hold(const GpuMoment& reading, TimeRange range, Reasons& found) const {
        if (range.isEmpty())
            return;
        found.ofSeconds += range.length().seconds();
        if (!found.observed.empty() && found.observed.back().end == range.begin)
            found.observed.back().end = range.end;
        else
            found.observed.push_back(range);
        const auto cause = throttleCauseOf(*reading.reasons);
        if (!cause)
            return;
        auto& all = found.episodes;
        const bool goesOn
            = !all.empty() && all.back().cause == *cause && all.back().range.end == range.begin;
        if (!goesOn)
            all.push_back({{range.begin, range.begin}, *cause, 0.0, 0, false});
        ThrottleEpisode& episode = all.back();
        episode.range.end = range.end;
        episode.lostSeconds += range.length().seconds()
            * clockLackOf(reading, m_lost.referenceClockHz).value_or(0.0);
        ++episode.samples;
    }

    void takeLowClocks(DurationNs duration) {
        for (const auto& [rank, gpu] : m_gpus) {
            if (canThrottle(gpu))
                m_found.gpus[rank].ofSeconds = duration.seconds();
        }
        m_found.observed.assign(m_gpus.size(), m_window);
        m_found.episodes = m_lost.episodes;
    }

    void sumUp(double allGpuSeconds) {
        ThrottledTime all;
        for (const auto& [rank, episode] : m_found.episodes) {
            const double length = episode.range.length().seconds();
            all.seconds += length;
            m_found.gpus[rank].seconds += length;
            m_found.inferredGpuSeconds += episode.isCauseInferred ? length : 0.0;
            ThrottleSum& sum = m_found.causes[episode.cause];
            ++sum.episodes;
            sum.gpuSeconds += length;
            sum.lostGpuSeconds += episode.lostSeconds;
        }
        all.ofSeconds = allGpuSeconds;
        if (m_found.basis == ThrottleBasis::Clocks) {
            m_found.fraction = all.fraction();
            return;
        }
        for (const auto& [rank, gpu] : m_found.gpus)
            m_found.fraction += gpu.fraction() / static_cast<double>(m_found.gpus.size());
    }

    // Over the whole run: limits do not change with the window.
    Status inferLimits() {
        ThrottleEvidence all(m_lost.referenceClockHz);
        std::vector<double> plateaus;
        RETURN_IF_ERROR(forEachGpu(
            [](const GpuSeries& gpu) {
                return canThrottle(gpu) && find(gpu, metric::kThrottleReasons) == nullptr;
            },
            [this](const store::Store& store, int, const GpuSeries& gpu,
                const KeepGoing& keepGoing) -> Result<ThrottleEvidence> {
                ThrottleEvidence own(m_lost.referenceClockHz);
                GpuWalk walk(store, gpu, metric::kSmClock, kAllTime);
                RETURN_IF_ERROR(walk.run(
                    [&own](const GpuMoment& moment) {
                        own.add(moment);
                        return true;
                    },
                    keepGoing));
                return own;
            },
            [&](int rank, ThrottleEvidence&& own) {
                if (const auto plateau = own.powerPlateauW()) {
                    m_plateaus[rank] = *plateau;
                    plateaus.push_back(*plateau);
                }
                all.add(own);
            }));
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
        const auto known = powerLimitOf(m_study.run, gpu);
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
            m_found.evidence.push_back("The limits are those of " + m_study.run.gpuModel + ".");
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
        limits.referenceClockHz = m_lost.referenceClockHz;
        limits.slowdownTemperatureC = m_found.slowdownTemperatureC;
        limits.isSlowdownInferred = m_found.slowdownOrigin == kInferred;
        takePowerLimit(rank, gpu, limits);
        limits.holeNs = nearestWhole<std::int64_t>(EnergyIntegral::kGapPeriods
            * static_cast<double>(samplingPeriod(*find(gpu, metric::kSmClock)).ns));
        return limits;
    }

    const RunStudy& m_study;
    const std::map<int, GpuSeries>& m_gpus;
    TimeRange m_window;
    std::map<int, double> m_plateaus; // W, by rank
    std::optional<double> m_usualPlateau;
    bool m_givesWay = false; // the slowdown temperature is what the samples show
    ClockLoss m_lost;
    Throttling m_found;
};

Result<std::optional<Throttling>> findThrottling(const RunStudy& study, TimeRange window) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(const auto recorded, study.store.gpus(study.run.id));
    auto gpus = gpuSeriesByRank(series);
    for (const Gpu& gpu : recorded)
        gpus.try_emplace(gpu.rank); // a GPU without a series
    const DurationNs duration = window == kAllTime ? runDuration(series, tracks) : window.length();
    return ThrottleScan(study, gpus, window).run(duration);
}

Result<std::optional<Throttling>> findThrottlingOfAll(const RunStudy& study) {
    return findThrottling(study, kAllTime);
}

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

Result<std::optional<Throttling>> throttlingOf(const RunStudy& study, TimeRange window) {
    return window == kAllTime ? study.once(findThrottlingOfAll) : findThrottling(study, window);
}

} // namespace trainscope::analysis
