#include "app/viewmodels/inspector/SelectionStatistics.h"

#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/figures/timeline/DerivedLane.h"
#include "core/model/Try.h"

#include <iterator>
#include <tuple>

namespace trainscope::app {
namespace {

using store::Store;
using Cancel = std::function<bool()>;

analysis::Energy energyIn(TimeRange window, double joules, double coveredSeconds) {
    const double seconds = window.length().seconds();
    return {joules, seconds > 0.0 ? std::min(1.0, coveredSeconds / seconds) : 0.0};
}

Result<analysis::SubjectStatistics> counted(
    const Store& store, const Series& counter, TimeRange window, const Cancel& isCancelled) {
    ASSIGN_OR_RETURN(auto all,
        analysis::seriesStatistics(
            store, counter, [&] { return !isCancelled(); }, window));
    return std::move(all.statistics);
}

// Statistics of the window: a value that holds in it has a mean; with a sample in it there are
// extremes too.
analysis::SubjectStatistics measured(const store::WindowStatistics& part) {
    const auto known
        = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
    analysis::SubjectStatistics statistics;
    statistics.mean = known(part.mean);
    statistics.min = known(part.min);
    statistics.max = known(part.max);
    return statistics;
}

// Folds the subjects of one metric together, as the summary of a run does: its GPUs, else its
// nodes, else what is of no node.
class MetricFold {
public:
    Metric metric;

    void add(const Subject& subject, const analysis::SubjectStatistics& part) {
        switch (subject.kind) {
        case SubjectKind::Gpu:
            m_gpus.push_back(part);
            break;
        case SubjectKind::Node:
            m_nodes[subject.node] = part;
            break;
        case SubjectKind::Link:
            m_links[subject.node].push_back(part);
            break;
        case SubjectKind::Switch:
        case SubjectKind::Run:
            m_others.push_back(part);
            break;
        }
    }
    [[nodiscard]] MetricStatistics finished() const {
        auto parts = m_gpus.empty() ? ofNodes() : m_gpus;
        if (parts.empty())
            parts = m_others;
        const auto all = analysis::combined(parts);
        return {metric, all.mean, all.min, all.max, all.total, all.first, all.last, all.shares};
    }

private:
    // A node's own values stay.
    [[nodiscard]] std::vector<analysis::SubjectStatistics> ofNodes() const {
        auto nodes = m_nodes;
        for (const auto& [node, links] : m_links)
            nodes.try_emplace(node, analysis::combinedLinks(links, metric));
        std::vector<analysis::SubjectStatistics> parts;
        for (const auto& [node, part] : nodes)
            parts.push_back(part);
        return parts;
    }

    std::vector<analysis::SubjectStatistics> m_gpus;
    std::vector<analysis::SubjectStatistics> m_others;
    std::map<int, analysis::SubjectStatistics> m_nodes;
    std::map<int, std::vector<analysis::SubjectStatistics>> m_links; // by node
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
        const auto& [metric, subject]
            = std::tie(series.description.metric, series.description.subject);
        MetricFold& fold = m_metrics[metric.name];
        fold.metric = metric;
        if (!isAveraged(metric.kind)) {
            ASSIGN_OR_RETURN(const auto part, counted(m_store, series, m_window, m_isCancelled));
            fold.add(subject, part);
            return {};
        }
        ASSIGN_OR_RETURN(const auto found, m_store.statistics(series.id, m_window));
        const analysis::SubjectStatistics part = measured(found);
        fold.add(subject, part);
        if (subject.kind == SubjectKind::Gpu)
            addToGpu(subject.rank, metric.name, part);
        if (subject.kind == SubjectKind::Node && metric.name == metric::kNodePower)
            return measure(subject, {std::nullopt, series});
        return {};
    }
    // Adds the energies of the GPUs that the database holds.
    Status addEnergies(const std::map<int, analysis::GpuSeries>& gpus) {
        for (const auto& [rank, gpu] : gpus) {
            Subject subject;
            subject.kind = SubjectKind::Gpu;
            subject.rank = rank;
            RETURN_IF_ERROR(measure(subject, analysis::energySeriesOf(gpu)));
        }
        return {};
    }

    // Adds an engine's answers. The energy of a GPU is its mean power over the time that its
    // samples cover.
    void add(const StretchFigures& told) {
        m_told = RunStatistics::Told{told.told, told.metrics, told.error};
        for (const Series& series : m_facts.series)
            m_metrics[series.description.metric.name].metric = series.description.metric;
        for (const SeriesFigure& figure : told.series) {
            analysis::SubjectStatistics part;
            part.total = figure.total;
            const MetricKind kind = m_metrics[figure.metric].metric.kind;
            if (kind == MetricKind::Progress && figure.count > 0.0)
                std::tie(part.min, part.max) = std::tuple(figure.min, figure.max);
            if (isAveraged(kind) && figure.count > 0.0)
                std::tie(part.mean, part.min, part.max)
                    = std::tuple(figure.mean, figure.min, figure.max);
            m_metrics[figure.metric].add(figure.subject, part);
            if (figure.count <= 0.0)
                continue;
            // The answer for a live run may be for a little longer a stretch.
            const double covered = std::min(m_window.length().seconds(), figure.coveredSeconds);
            if (figure.subject.kind == SubjectKind::Gpu)
                addToGpu(figure.subject.rank, figure.metric, part);
            takeEnergy(
                figure.subject, figure.metric, energyIn(m_window, figure.mean * covered, covered));
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
            if (known != m_gpuEnergies.end())
                energies.gpus.back().energy = known->second;
        }
        energies.secondDies = analysis::secondDies(energies.gpus);
        if (const auto all = analysis::energyOfGpus(energies.gpus, energies.secondDies)) {
            result.energy = all->joules;
            result.energyCoverage = all->coverage;
            result.energySource = analysis::sourceText(*all);
            if (all->source == analysis::EnergySource::Counter) // it is the energy above
                std::erase_if(result.metrics, [](const MetricStatistics& one) {
                    return one.metric.name == metric::kGpuEnergy;
                });
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

    void addToGpu(int rank, const std::string& metric, const analysis::SubjectStatistics& part) {
        if (!part.mean)
            return;
        GpuStatistics& gpu = m_gpus[rank];
        gpu.gpu.rank = rank;
        if (metric == metric::kGpuTemperature)
            gpu.peakTemperature = part.max;
        if (metric != metric::kGpuPower)
            return;
        gpu.meanPower = part.mean;
        gpu.peakPower = part.max;
    }

    Status measure(const Subject& subject, const analysis::EnergySeries& series) {
        if (series.isNothing())
            return {};
        ASSIGN_OR_RETURN(const auto energies,
            analysis::measuredEnergies(
                m_store, series, {m_window}, [this] { return !m_isCancelled(); }));
        if (energies.front())
            keepEnergy(subject, *energies.front());
        return {};
    }

    static bool isPowerOf(const Subject& subject, const std::string& metric) {
        return (subject.kind == SubjectKind::Gpu && metric == metric::kGpuPower)
            || (subject.kind == SubjectKind::Node && metric == metric::kNodePower);
    }

    void takeEnergy(
        const Subject& subject, const std::string& metric, const analysis::Energy& energy) {
        if (isPowerOf(subject, metric))
            keepEnergy(subject, energy);
    }
    void keepEnergy(const Subject& subject, const analysis::Energy& energy) {
        if (subject.kind == SubjectKind::Node) {
            m_nodeEnergies[subject.node] = energy;
            return;
        }
        m_gpus[subject.rank].gpu.rank = subject.rank;
        m_gpus[subject.rank].energy = energy.joules;
        m_gpuEnergies[subject.rank] = energy;
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

// Time that the GPUs were above their limits.
Result<std::optional<analysis::LimitShare>> aboveLimitIn(const Store& store, const RunFacts& facts,
    const std::map<std::string, std::vector<Series>>& stored, TimeRange window,
    const Cancel& isCancelled) {
    std::map<int, analysis::GpuSeries> gpus;
    for (const char* metric : {metric::kGpuPower, metric::kPowerLimit}) {
        const auto found = stored.find(metric);
        for (const Series& one : found == stored.end() ? std::vector<Series>() : found->second) {
            if (one.description.subject.kind == SubjectKind::Gpu && one.count > one.missing)
                gpus[one.description.subject.rank].emplace(metric, one);
        }
    }
    std::vector<analysis::AboveLimit> all;
    for (const auto& [rank, gpu] : gpus) {
        ASSIGN_OR_RETURN(auto found,
            analysis::aboveLimitOf(store, facts.run, gpu, window, analysis::KeepSteps::No,
                [&isCancelled](const ProgressState&) { return !isCancelled(); }));
        if (found)
            all.push_back(std::move(*found));
    }
    return analysis::together(all);
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
        if (within == facts.end() || std::ranges::find(source.runs, run) == source.runs.end())
            continue;
        const auto ambiguous = facts.find("placed_ambiguously");
        statistics.logWithinS = within->second;
        statistics.logIsAmbiguous = ambiguous != facts.end() && ambiguous->second == "true";
    }
}

struct RunWindow {
    std::size_t run = 0; // index into the shown runs
    TimeRange window;
};

// Above all other metrics, since they are what the user made.
Status addDerived(const Store& store, const TimelineCatalogue& catalogue,
    const std::vector<plot::ShownRun>& runs, const RunWindow& of,
    const plot::Arrangement& arrangement, const Cancel& isCancelled, RunStatistics& statistics) {
    std::vector<MetricStatistics> derived;
    for (const plot::LaneSpec& lane : arrangement.lanes) {
        if (lane.metric.empty() || !figures::isDerivedIn(catalogue.tables, lane))
            continue;
        const auto resolved = figures::resolveDerived(lane, catalogue.tables, runs);
        if (!resolved.hasValue())
            continue; // the lane says why
        ASSIGN_OR_RETURN(const auto figures,
            figures::derivedFigures(store, resolved.value(), of.run, of.window, isCancelled));
        MetricStatistics one;
        // In brackets, no end of it is taken for the name of a metric.
        one.metric.name = '(' + lane.metric + ')';
        one.metric.unit = resolved.value().unit;
        one.metric.label = resolved.value().title;
        if (lane.rank)
            one.metric.label += ", rank " + std::to_string(*lane.rank);
        one.mean = figures.mean;
        one.min = figures.min;
        one.max = figures.max;
        derived.push_back(std::move(one));
    }
    statistics.metrics.insert(statistics.metrics.begin(), derived.begin(), derived.end());
    return {};
}

} // namespace

Result<std::vector<RunStatistics>> selectionStatistics(const Store& store,
    const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& runs,
    plot::ViewWindow stretch, const Cancel& isCancelled, EngineLanes* engines,
    const plot::Arrangement& arrangement) {
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
        const auto stored = storedSeries(catalogue.facts(i), engines);
        std::vector<Series> members;
        for (const auto& [metric, group] : stored) {
            for (const Series& series : group)
                RETURN_IF_ERROR(fold.add(series));
            members.insert(members.end(), group.begin(), group.end());
        }
        RETURN_IF_ERROR(fold.addEnergies(analysis::gpuSeriesByRank(members)));
        all.push_back(fold.finish());
        RETURN_IF_ERROR(
            addDerived(store, catalogue, runs, {i, window}, arrangement, isCancelled, all.back()));
        ASSIGN_OR_RETURN(all.back().aboveLimit,
            aboveLimitIn(store, catalogue.facts(i), stored, window, isCancelled));
        const auto& tracks = catalogue.facts(i).tracks;
        all.back().isTraced = std::ranges::any_of(
            tracks, [](const Track& track) { return track.description.kind == TrackKind::Stream; });
        addLogPlacement(store, catalogue.facts(i).run.id, all.back());
    }
    return all;
}

} // namespace trainscope::app
