// The facts of a run that its efficiency is made of.
#include "core/analysis/efficiency/Efficiency.h"

#include "core/analysis/CompensatedSum.h"
#include "core/analysis/SeriesSelection.h"
#include "core/analysis/Summary.h"
#include "core/analysis/iterations/Iterations.h"

#include <algorithm>
#include <vector>

namespace trainscope::analysis {

namespace {

TimeRange clipped(TimeRange window, TimeRange run) {
    return {std::max(window.begin, run.begin), std::min(window.end, run.end)};
}

// The iterations that count, with the time from the first to the last.
struct Steps {
    std::vector<DurationNs> durations;
    TimeRange range;

    void add(const Iteration& iteration) {
        range = durations.empty() ? iteration.range
                                  : TimeRange{std::min(range.begin, iteration.range.begin),
                                      std::max(range.end, iteration.range.end)};
        durations.push_back(iteration.range.length());
    }
};

Steps stepsIn(const std::vector<Iteration>& iterations, TimeRange window) {
    Steps steps;
    for (const bool withWarmup : {false, true}) {
        for (const Iteration& iteration : iterations) {
            const bool isInside
                = window.begin <= iteration.range.begin && iteration.range.end <= window.end;
            if (isInside && !iteration.range.isEmpty() && (withWarmup || !iteration.warmup))
                steps.add(iteration);
        }
        if (!steps.durations.empty())
            break;
    }
    return steps;
}

double medianSeconds(std::vector<DurationNs> durations) {
    std::sort(durations.begin(), durations.end());
    const std::size_t half = durations.size() / 2;
    const double upper = durations[half].seconds();
    return durations.size() % 2 == 1 ? upper : (durations[half - 1].seconds() + upper) / 2.0;
}

int gpusOf(const Run& run) {
    const auto& launch = run.launch;
    const int launched
        = launch.nodes && launch.gpusPerNode ? *launch.nodes * *launch.gpusPerNode : 0;
    return std::max({run.gpuCount, run.worldSize, launched});
}

class Collector {
public:
    Collector(const store::Store& store, const Run& run, const Progress& progress)
        : m_store(store)
        , m_run(run)
        , m_progress(progress) { }

    Result<EfficiencyFacts> collect(TimeRange window) {
        m_facts.launch = m_run.launch;
        m_facts.gpuModel = m_run.gpuModel;
        m_facts.gpus = gpusOf(m_run);
        const auto series = m_store.series(m_run.id);
        if (!series.hasValue())
            return series.error();
        const auto tracks = m_store.tracks(m_run.id);
        if (!tracks.hasValue())
            return tracks.error();
        m_facts.runDurationS = runDuration(series.value(), tracks.value()).seconds();
        takePower(series.value());
        if (Status status = takeSteps(clipped(window, m_run.range)); !status.hasValue())
            return status.error();
        return takeEnergies(window);
    }

private:
    void takePower(const std::vector<Series>& all) {
        std::vector<std::string> ignored; // the summary says where sources overlap
        auto groups = seriesByMetric(all, ignored);
        const auto found = groups.find("gpu_power");
        if (found == groups.end()) {
            m_facts.whyNoEnergy = "No GPU power was recorded.";
            return;
        }
        for (Series& one : found->second) {
            if (one.description.subject.kind == SubjectKind::Gpu)
                m_power.push_back(std::move(one));
        }
        const auto recorded = static_cast<int>(m_power.size());
        if (recorded < m_facts.gpus)
            m_facts.whyNoEnergy = "Power was recorded of " + std::to_string(recorded) + " of "
                + std::to_string(m_facts.gpus) + " GPUs only.";
    }

    Status takeSteps(TimeRange window) {
        const auto iterations = iterationsOf(m_store, m_run, m_progress);
        if (!iterations.hasValue())
            return iterations.error();
        m_facts.stepTimeOrigin = iterations.value().origin;
        if (m_run.status == RunStatus::Oom) {
            m_facts.stepTimeOrigin = "the run ended in out-of-memory";
            return {};
        }
        m_steps = stepsIn(iterations.value().iterations, window);
        m_facts.steps = static_cast<std::int64_t>(m_steps.durations.size());
        if (m_facts.steps > 0)
            m_facts.stepTimeS = medianSeconds(m_steps.durations);
        else if (!iterations.value().iterations.empty())
            m_facts.stepTimeOrigin = "no whole iteration lies in the window";
        return {};
    }

    Result<EfficiencyFacts> takeEnergies(TimeRange window) {
        const auto whole = energy(m_run.range);
        if (!whole.hasValue())
            return whole.error();
        const auto asked = energy(clipped(window, m_run.range));
        if (!asked.hasValue())
            return asked.error();
        const auto stepped = energy(m_steps.range);
        if (!stepped.hasValue())
            return stepped.error();
        m_facts.runEnergyJ = whole.value();
        m_facts.windowEnergyJ = asked.value();
        if (stepped.value() && m_facts.steps > 0)
            m_facts.energyPerStepJ = *stepped.value() / static_cast<double>(m_facts.steps);
        return std::move(m_facts);
    }

    // Of all GPUs, their mean power held over the whole range where samples are missing in it;
    // absent unless every GPU has data there.
    Result<std::optional<double>> energy(TimeRange range) {
        if (!m_facts.whyNoEnergy.empty() || range.isEmpty())
            return std::optional<double>{};
        CompensatedSum joules;
        for (std::size_t i = 0; i < m_power.size(); ++i) {
            if (m_progress && !m_progress({"Summing energy", i, m_power.size()}))
                return cancelled();
            const auto statistics = m_store.statistics(m_power[i].id, range);
            if (!statistics.hasValue())
                return statistics.error();
            if (statistics.value().coveredSeconds <= 0.0) {
                m_facts.whyNoEnergy = "Power of " + subjectText(m_power[i].description.subject)
                    + " is missing in the window.";
                return std::optional<double>{};
            }
            joules.add(statistics.value().mean * range.length().seconds());
        }
        return std::optional<double>(joules.value());
    }

    const store::Store& m_store;
    const Run& m_run;
    const Progress& m_progress;
    EfficiencyFacts m_facts;
    std::vector<Series> m_power;
    Steps m_steps;
};

} // namespace

Result<Efficiency> efficiencyOf(
    const store::Store& store, const Run& run, TimeRange window, const Progress& progress) {
    const auto facts = Collector(store, run, progress).collect(window);
    if (!facts.hasValue())
        return facts.error();
    return efficiencyFrom(facts.value(), catalogue::modelCatalogue());
}

} // namespace trainscope::analysis
