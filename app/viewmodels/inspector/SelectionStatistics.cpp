#include "app/viewmodels/inspector/SelectionStatistics.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/NodeEnergy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace trainscope::app {
namespace {

using store::Store;
using Cancel = std::function<bool()>;

Status eachBlock(const Store& store, SeriesId series, TimeRange window, const Cancel& isCancelled,
    const std::function<void(std::span<const TimeNs>, std::span<const double>)>& take) {
    bool stopped = false;
    auto done = store.forEachSample(series, window, [&](auto times, auto values) {
        stopped = isCancelled();
        if (!stopped)
            take(times, values);
        return !stopped;
    });
    if (stopped)
        return cancelled();
    return done;
}

analysis::Energy energyIn(TimeRange window, double joules, double coveredSeconds) {
    const double seconds = window.length().seconds();
    return {joules, seconds > 0.0 ? std::min(1.0, coveredSeconds / seconds) : 0.0};
}

Result<std::optional<analysis::Energy>> energyOf(
    const Store& store, SeriesId power, TimeRange window, const Cancel& isCancelled) {
    const auto made = [window](const analysis::EnergyIntegral& of) {
        return std::optional(energyIn(window, of.energy().value, of.covered().seconds()));
    };
    analysis::EnergyIntegral energy;
    const auto feed = [&](analysis::EnergyIntegral& into) {
        return eachBlock(store, power, window, isCancelled,
            [&into](auto times, auto values) { into.add(times, values); });
    };
    RETURN_IF_ERROR(feed(energy));
    if (energy.present() < 2)
        return std::optional<analysis::Energy>{};
    const double limit = energy.gapLimit();
    if (energy.longest() <= limit)
        return made(energy);
    analysis::EnergyIntegral bridged(limit);
    RETURN_IF_ERROR(feed(bridged));
    return made(bridged);
}

Result<std::optional<double>> totalOf(
    const Store& store, const Series& counter, TimeRange window, const Cancel& isCancelled) {
    analysis::CounterTotal total(counter.description);
    RETURN_IF_ERROR(eachBlock(store, counter.id, window, isCancelled,
        [&total](auto times, auto values) { total.add(times, values); }));
    return total.total();
}

// Folds the subjects of one metric together.
struct MetricFold {
    Metric metric;
    double weighted = 0.0;
    double covered = 0.0;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> total;

    void add(const store::WindowStatistics& part) {
        if (part.count <= part.missing)
            return;
        // A single sample covers no time; it still has a value.
        const double weight = part.coveredSeconds > 0.0 ? part.coveredSeconds : 1e-9;
        weighted += part.mean * weight;
        covered += weight;
        min = min ? std::min(*min, part.min) : part.min;
        max = max ? std::max(*max, part.max) : part.max;
    }
    [[nodiscard]] MetricStatistics finished() const {
        MetricStatistics result{metric, {}, min, max, total};
        if (covered > 0.0)
            result.mean = weighted / covered;
        return result;
    }
};

class RunFold {
public:
    RunFold(const Store& store, const RunFacts& facts, TimeRange window, const Cancel& isCancelled)
        : m_store(store)
        , m_facts(facts)
        , m_window(window)
        , m_isCancelled(isCancelled) {
        for (const auto& gpu : facts.gpus)
            m_gpus[gpu.rank].gpu = gpu;
    }

    Status add(const Series& series) {
        if (m_isCancelled())
            return cancelled();
        MetricFold& fold = m_metrics[series.description.metric.name];
        fold.metric = series.description.metric;
        if (series.description.metric.kind == MetricKind::Counter)
            return addCounter(fold, series);
        ASSIGN_OR_RETURN(auto part, m_store.statistics(series.id, m_window));
        fold.add(part);
        return addToGpu(series, part);
    }

    // What an engine told. The energy of a GPU is its mean power over what its samples cover.
    void add(const StretchFigures& told) {
        m_told = RunStatistics::Told{told.told, told.metrics, told.error};
        for (const Series& series : m_facts.series)
            m_metrics[series.description.metric.name].metric = series.description.metric;
        for (const SeriesFigure& figure : told.series) {
            MetricFold& fold = m_metrics[figure.metric];
            if (figure.total)
                fold.total = fold.total.value_or(0.0) + *figure.total;
            if (figure.count <= 0.0)
                continue;
            // Of a run that goes on the stretch that was told may be a little longer.
            const double covered = std::min(m_window.length().seconds(), figure.coveredSeconds);
            fold.add({1, 0, figure.mean, figure.min, figure.max, 0.0, covered});
            addToGpu(figure, energyIn(m_window, figure.mean * covered, covered));
        }
    }

    RunStatistics finish() {
        RunStatistics result{m_facts.run.name, m_facts.run.gpuModel, m_window.length(), {}, {}, {}};
        for (const auto& known : metricRegistry()) {
            if (const auto found = m_metrics.find(known.name); found != m_metrics.end()) {
                result.metrics.push_back(found->second.finished());
                m_metrics.erase(found);
            }
        }
        for (const auto& [name, fold] : m_metrics)
            result.metrics.push_back(fold.finished());
        for (const auto& [rank, gpu] : m_gpus)
            result.gpus.push_back(gpu);
        addEnergies(result);
        result.told = m_told;
        return result;
    }

private:
    void addEnergies(RunStatistics& result) const {
        analysis::RunSummary energies;
        for (const auto& [rank, gpu] : m_gpus) {
            const auto known = m_gpuEnergies.find(rank);
            energies.gpus.push_back({gpu.gpu, {}, {}});
            if (known == m_gpuEnergies.end())
                continue;
            energies.gpus.back().energy = known->second;
            result.energy = result.energy.value_or(0.0) + known->second.joules;
        }
        for (const auto& [node, energy] : m_nodeEnergies)
            energies.nodes.push_back({node, {}, energy});
        analysis::addNodeEnergy(energies, {});
        result.nodes = static_cast<int>(m_nodeEnergies.size());
        if (!energies.nodeEnergy)
            return;
        const double joules = energies.nodeEnergy->joules;
        result.nodeEnergy = joules;
        if (energies.restJoules && joules > 0.0)
            result.notOfGpus = *energies.restJoules / joules;
    }

    Status addCounter(MetricFold& fold, const Series& series) {
        ASSIGN_OR_RETURN(auto total, totalOf(m_store, series, m_window, m_isCancelled));
        if (total)
            fold.total = fold.total.value_or(0.0) + *total;
        return {};
    }

    Status addToGpu(const Series& series, const store::WindowStatistics& part) {
        const auto& [metric, subject]
            = std::tie(series.description.metric.name, series.description.subject);
        if (subject.kind == SubjectKind::Node && metric == metric::kNodePower)
            return addToNodes(series);
        if (subject.kind != SubjectKind::Gpu || part.count <= part.missing)
            return {};
        GpuStatistics& gpu = m_gpus[subject.rank];
        gpu.gpu.rank = subject.rank;
        if (metric == metric::kGpuTemperature)
            gpu.peakTemperature = part.max;
        if (metric != metric::kGpuPower)
            return {};
        gpu.meanPower = part.mean;
        gpu.peakPower = part.max;
        ASSIGN_OR_RETURN(auto energy, energyOf(m_store, series.id, m_window, m_isCancelled));
        if (energy)
            setEnergy(gpu, *energy);
        return {};
    }

    void setEnergy(GpuStatistics& gpu, const analysis::Energy& energy) {
        gpu.energy = energy.joules;
        m_gpuEnergies[gpu.gpu.rank] = energy;
    }

    void addToGpu(const SeriesFigure& figure, const analysis::Energy& energy) {
        if (figure.subject.kind == SubjectKind::Node && figure.metric == metric::kNodePower)
            m_nodeEnergies[figure.subject.node] = energy;
        if (figure.subject.kind != SubjectKind::Gpu)
            return;
        GpuStatistics& gpu = m_gpus[figure.subject.rank];
        gpu.gpu.rank = figure.subject.rank;
        if (figure.metric == metric::kGpuTemperature)
            gpu.peakTemperature = figure.max;
        if (figure.metric != metric::kGpuPower)
            return;
        gpu.meanPower = figure.mean;
        gpu.peakPower = figure.max;
        setEnergy(gpu, energy);
    }

    Status addToNodes(const Series& series) {
        ASSIGN_OR_RETURN(auto energy, energyOf(m_store, series.id, m_window, m_isCancelled));
        if (energy)
            m_nodeEnergies[series.description.subject.node] = *energy;
        return {};
    }

    const Store& m_store;
    RunFacts m_facts;
    TimeRange m_window;
    const Cancel& m_isCancelled;
    std::optional<RunStatistics::Told> m_told;
    std::map<std::string, MetricFold> m_metrics;
    std::map<int, GpuStatistics> m_gpus;
    std::map<int, analysis::Energy> m_gpuEnergies; // by rank
    std::map<int, analysis::Energy> m_nodeEnergies; // by node
};

// Each GPU, node and link once, whatever number of sources recorded it.
std::map<std::string, std::vector<Series>> storedSeries(
    const RunFacts& facts, EngineLanes* engines) {
    std::vector<Series> stored;
    std::copy_if(facts.series.begin(), facts.series.end(), std::back_inserter(stored),
        [engines](const Series& one) { return engines == nullptr || !engines->has(one); });
    return analysis::seriesByMetric(stored);
}

TimeRange clippedTo(const TimeRange& range, TimeRange window) {
    window.begin = std::max(window.begin, range.begin);
    window.end = std::max(window.begin, std::min(window.end, range.end));
    return window;
}

// As the report of its import says.
void addLogPlacement(const Store& store, RunId run, RunStatistics& statistics) {
    const auto sources = store.sources();
    if (!sources.hasValue())
        return;
    for (const store::Source& source : sources.value()) {
        const auto& facts = source.report.facts;
        const auto within = facts.find("placed_within_s");
        if (within == facts.end()
            || std::find(source.runs.begin(), source.runs.end(), run) == source.runs.end())
            continue;
        const auto ambiguous = facts.find("placed_ambiguously");
        statistics.logWithinS = within->second;
        statistics.logIsAmbiguous = ambiguous != facts.end() && ambiguous->second == "true";
    }
}

} // namespace

Result<std::vector<RunStatistics>> selectionStatistics(const Store& store,
    const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& runs,
    plot::ViewWindow stretch, const Cancel& isCancelled, EngineLanes* engines) {
    std::vector<RunStatistics> all;
    const std::size_t count = std::min(runs.size(), catalogue.runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const TimeRange wanted{runs[i].origin + stretch.begin, runs[i].origin + stretch.end};
        const TimeRange window = clippedTo(catalogue.runs[i].range, wanted);
        RunFold fold(store, catalogue.facts(i), window, isCancelled);
        if (engines != nullptr) {
            if (const auto told = engines->figures(catalogue.facts(i).run.id, window))
                fold.add(*told);
        }
        for (const auto& [metric, group] : storedSeries(catalogue.facts(i), engines)) {
            for (const Series& series : group)
                RETURN_IF_ERROR(fold.add(series));
        }
        all.push_back(fold.finish());
        addLogPlacement(store, catalogue.facts(i).run.id, all.back());
    }
    return all;
}

} // namespace trainscope::app
