#include "core/analysis/StudyPass.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/model/StepFacts.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::analysis {

namespace {

// The iterations that count.
std::vector<Iteration> stepsIn(const std::vector<Iteration>& iterations, TimeRange window) {
    std::vector<Iteration> steps;
    for (const bool withWarmup : {false, true}) {
        std::ranges::copy_if(iterations, std::back_inserter(steps), [&](const Iteration& one) {
            const bool isInside = window.begin <= one.range.begin && one.range.end <= window.end;
            return isInside && !one.range.isEmpty() && (withWarmup || !one.warmup);
        });
        if (!steps.empty())
            break;
    }
    return steps;
}

int gpusOf(const Run& run) {
    return std::max({run.gpuCount, run.worldSize, launchedGpus(run.launch)});
}

// The time between the first and the last of the counted iterations that is in no iteration.
std::vector<TimeRange> pausesBetween(
    const std::vector<TimeRange>& counted, const std::vector<Iteration>& all) {
    const std::vector<TimeRange> ranges = united(rangesOf(all));
    std::vector<TimeRange> pauses;
    for (std::size_t i = 1; i < ranges.size(); ++i)
        pauses.push_back({ranges[i - 1].end, ranges[i].begin});
    return counted.empty() ? std::vector<TimeRange>()
                           : shared(pauses, {counted.front().begin, counted.back().end});
}

constexpr double kLeastPowerCoverage = 0.9;
constexpr double kLeastBetween = 0.01; // share of the steps' energy; less is not told

// The energy of stretches of time together.
struct WindowEnergy {
    std::vector<TimeRange> ranges; // apart, in order
    CompensatedSum joules; // all GPUs together
    CompensatedSum coveredS; // GPU-seconds

    [[nodiscard]] double seconds() const { return lengthOf(ranges).seconds(); }
};

class Collector {
public:
    Collector(const RunStudy& study, const RunIterations& iterations)
        : m_study(study)
        , m_store(study.store)
        , m_run(study.run)
        , m_iterations(iterations) { }

    Result<EfficiencyFacts> collect(TimeRange window, bool withEnergy) {
        m_facts.launch = m_run.launch;
        m_facts.gpuModel = m_run.gpuModel;
        m_facts.gpus = gpusOf(m_run);
        ASSIGN_OR_RETURN(const auto series, m_store.series(m_run.id));
        ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(m_run.id));
        m_facts.runDurationS = runDuration(series, tracks).seconds();
        takePower(series);
        takeSteps(window);
        RETURN_IF_ERROR(takeLogged(series, shared(window, m_run.range)));
        RETURN_IF_ERROR(takeMarked(series));
        return withEnergy ? takeEnergies(window) : Result<EfficiencyFacts>(std::move(m_facts));
    }

private:
    void takePower(const std::vector<Series>& all) {
        for (const auto& [rank, gpu] : gpuSeriesByRank(all)) {
            if (EnergySeries series = energySeriesOf(gpu); !series.isNothing())
                m_power.push_back(std::move(series));
        }
        if (m_power.empty()) {
            m_facts.whyNoEnergy = "No GPU power was recorded.";
            return;
        }
        const auto recorded = static_cast<int>(m_power.size());
        if (recorded < m_facts.gpus)
            m_facts.whyNoEnergy
                = fmt::format("Power was recorded of {} of {} GPUs only.", recorded, m_facts.gpus);
    }

    Status takeLogged(const std::vector<Series>& all, TimeRange window) {
        if (m_facts.launch.globalBatch && m_facts.launch.sequenceLength)
            return {};
        std::vector<double> rates;
        for (const Series& series : all) {
            if (series.description.metric.name != metric::kTokenRate
                || series.description.subject.kind != SubjectKind::Run)
                continue;
            RETURN_IF_ERROR(m_store.forEachSample(
                series.id, window, [&rates](auto, std::span<const double> values) {
                    std::ranges::copy_if(values, std::back_inserter(rates),
                        [](double value) { return !std::isnan(value); });
                    return true;
                }));
        }
        if (!rates.empty())
            m_facts.loggedTokensPerS = medianOf(rates);
        return {};
    }

    // The script may be recorded on several nodes, and says the same there: the first counts. Parts
    // that ranks mark add up.
    Status takeMarked(const std::vector<Series>& all) {
        ASSIGN_OR_RETURN(const auto tokens, markedOf(all, metric::kStepTokens));
        ASSIGN_OR_RETURN(const auto samples, markedOf(all, metric::kStepSamples));
        for (const auto& pair : {std::pair(&tokens, &m_facts.tokensPerStep),
                 std::pair(&samples, &m_facts.samplesPerStep)}) {
            const auto* const marked = pair.first;
            if (marked->empty())
                continue;
            *pair.second = meanOf(*marked);
            if (std::ranges::any_of(
                    *marked, [marked](double value) { return value != marked->front(); }))
                m_facts.meanStepTimeS = meanOf(m_seconds);
        }
        return {};
    }

    // Value of each counted step; empty where one of them has none.
    Result<std::vector<double>> markedOf(const std::vector<Series>& all, std::string_view name) {
        std::vector<double> ofSteps;
        bool isOfRun = false;
        for (const Series& series : all) {
            if (series.description.metric.name != name || m_steps.empty())
                continue;
            if (isOfRun)
                break;
            isOfRun = series.description.subject.kind == SubjectKind::Run;
            // Its own sample stands at the begin of a step.
            std::vector<double> held;
            const auto middleOf = [](const Iteration& step) {
                return step.range.begin + DurationNs{step.range.length().ns / 2};
            };
            SampleWalk walk(m_store, series.id, middleOf(m_steps.front()));
            for (const Iteration& step : m_steps)
                RETURN_IF_ERROR(assign(walk.heldAt(middleOf(step)), held.emplace_back()));
            if (isOfRun || ofSteps.empty())
                ofSteps = std::move(held);
            else
                std::transform(
                    ofSteps.begin(), ofSteps.end(), held.begin(), ofSteps.begin(), std::plus<>());
        }
        const bool isWhole
            = std::ranges::none_of(ofSteps, [](double value) { return std::isnan(value); });
        return isWhole ? ofSteps : std::vector<double>();
    }

    void takeSteps(TimeRange window) {
        m_facts.stepTimeOrigin = m_iterations.origin;
        if (m_run.status == RunStatus::Oom) {
            m_facts.stepTimeOrigin = "the run ended in out-of-memory";
            return;
        }
        m_steps = stepsIn(m_iterations.iterations, window);
        for (const Iteration& step : m_steps)
            m_seconds.push_back(step.range.length().seconds());
        m_facts.steps = static_cast<std::int64_t>(m_steps.size());
        // Boundaries found in the power stand on its grid, on which the mean does not depend.
        const bool isFromPower = m_iterations.basis == IterationBasis::PowerPeriod;
        if (m_facts.steps > 0)
            takeStepTime(isFromPower);
        else if (!m_iterations.iterations.empty())
            m_facts.stepTimeOrigin = "no whole iteration lies in the window";
    }

    void takeStepTime(bool isMean) {
        m_facts.stepTimeS = isMean ? meanOf(m_seconds) : medianOf(m_seconds);
        const auto [first, last] = std::ranges::minmax(m_steps, {}, &Iteration::index);
        m_facts.stepWindow = m_facts.steps == 1
            ? fmt::format("iteration {}", first.index)
            : fmt::format("the {} of iterations {} to {}", isMean ? "mean" : "median", first.index,
                last.index);
    }

    Result<EfficiencyFacts> takeEnergies(TimeRange window) {
        const std::vector<TimeRange> counted = united(rangesOf(m_steps));
        std::array<WindowEnergy, 4> energies{WindowEnergy{{m_run.range}, {}, {}}, {counted, {}, {}},
            {pausesBetween(counted, m_iterations.iterations), {}, {}},
            {{shared(window, m_run.range)}, {}, {}}};
        auto& [whole, steps, between, asked] = energies;
        // Mostly the whole run is asked for, which is summed once.
        const bool isPart = asked.ranges != whole.ranges;
        if (m_facts.whyNoEnergy.empty())
            RETURN_IF_ERROR(sumPower(std::span(energies).first(isPart ? 4 : 3)));
        // One may be covered where another is not.
        const WindowEnergy& divisor = isPart ? asked : whole;
        m_facts.runEnergyJ = energyOf(whole);
        m_facts.windowEnergyJ = energyOf(divisor);
        const auto stepped = energyOf(steps);
        if (stepped && m_facts.steps > 0) {
            const auto count = static_cast<double>(m_facts.steps);
            m_facts.energyPerStepJ = *stepped / count;
            m_facts.stepPowerW = *stepped / steps.seconds();
            if (const auto paused = energyOf(between);
                paused && *paused >= kLeastBetween * *stepped)
                m_facts.energyBetweenStepsJ = *paused / count;
        }
        if (m_facts.whyNoEnergy.empty() && (!m_facts.windowEnergyJ || !stepped))
            m_facts.whyNoEnergy = whyTooLittle(m_facts.windowEnergyJ ? steps : divisor);
        return std::move(m_facts);
    }

    Status sumPower(std::span<WindowEnergy> energies) {
        constexpr const char* phase = "Summing energy";
        std::vector<TimeRange> windows;
        for (const WindowEnergy& energy : energies)
            windows.insert(windows.end(), energy.ranges.begin(), energy.ranges.end());
        const auto read = [&](const store::Store& store, const EnergySeries& gpu,
                              const Progress& progress) {
            return measuredEnergies(store, gpu, windows, [&] { return progress({phase, 0, 0}); });
        };
        const auto take = [&](const EnergySeries&, const auto& found) {
            auto next = found.begin();
            for (WindowEnergy& energy : energies) {
                for (const TimeRange& range : energy.ranges) {
                    const Energy part = (next++)->value_or(Energy());
                    energy.joules.add(part.joules);
                    energy.coveredS.add(part.coverage * range.length().seconds());
                }
            }
            return Status();
        };
        return forEachPart(m_study, phase, m_power, read, take);
    }

    [[nodiscard]] double coverageOf(const WindowEnergy& energy) const {
        return energy.coveredS.value() / (energy.seconds() * static_cast<double>(m_power.size()));
    }

    // Absent where too little of it was recorded for what is divided by it.
    [[nodiscard]] std::optional<double> energyOf(const WindowEnergy& energy) const {
        const bool isKnown = m_facts.whyNoEnergy.empty() && energy.seconds() > 0.0
            && coverageOf(energy) >= kLeastPowerCoverage;
        return isKnown ? std::optional(energy.joules.value()) : std::nullopt;
    }

    [[nodiscard]] std::string whyTooLittle(const WindowEnergy& energy) const {
        return energy.seconds() <= 0.0 ? std::string()
                                       : fmt::format("Power was recorded of {} of the time only.",
                                           text::percent(coverageOf(energy)));
    }

    const RunStudy& m_study;
    const store::Store& m_store;
    const Run& m_run;
    const RunIterations& m_iterations;
    EfficiencyFacts m_facts;
    std::vector<EnergySeries> m_power; // by GPU
    std::vector<Iteration> m_steps;
    std::vector<double> m_seconds; // duration by step
};

Result<Efficiency> madeOf(
    const RunStudy& study, const RunIterations& iterations, TimeRange window) {
    ASSIGN_OR_RETURN(const auto facts, Collector(study, iterations).collect(window, true));
    return efficiencyFrom(facts, catalogue::modelCatalogue());
}

Result<Efficiency> findEfficiency(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    return madeOf(study, iterations, kAllTime);
}

} // namespace

Result<Efficiency> efficiencyOf(const RunStudy& study, TimeRange window) {
    if (window == kAllTime)
        return study.once(findEfficiency);
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    return madeOf(study, iterations, window);
}

Result<Efficiency> efficiencyOf(const RunStudy& study, const CaptureIterations& captured) {
    auto made = madeOf(study, captured.iterations, captured.window);
    if (!made.hasValue() || !captured.areCut)
        return made;
    made.value().samplesPerSPerMj.reset();
    made.value().missing.try_emplace("samples_per_s_per_mj",
        "The edges of the capture cut its iterations, whose energy is of more than the capture.");
    return made;
}

Result<Efficiency> timeEfficiencyOf(const RunStudy& study, TimeRange window) {
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    ASSIGN_OR_RETURN(const auto facts, Collector(study, iterations).collect(window, false));
    return efficiencyFrom(facts, catalogue::modelCatalogue());
}

} // namespace trainscope::analysis
