#include "core/analysis/statistics/Summary.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/text/Times.h"

namespace trainscope::analysis {

namespace {

// Most metrics whose quantiles are computed at a time; each may take 32 MiB.
constexpr std::size_t kMostPools = 2;
constexpr std::string_view kPhase = "Computing statistics";

// Builds one RunSummary, metric by metric.
class Summariser {
public:
    Summariser(const RunStudy& study, const SummaryScope& scope)
        : m_study(study)
        , m_store(study.store)
        , m_scope(scope)
        , m_window(scope.window) {
        m_summary.run = study.run;
    }

    Result<RunSummary> run() {
        ASSIGN_OR_RETURN(const auto gpus, m_store.gpus(m_summary.run.id));
        ASSIGN_OR_RETURN(const auto series, m_store.series(m_summary.run.id));
        ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(m_summary.run.id));
        for (const Gpu& gpu : gpus)
            gpuOf(gpu.rank).gpu = gpu;
        m_summary.duration = m_window == kAllTime ? runDuration(series, tracks) : m_window.length();
        auto groups = seriesByMetric(series, m_summary.warnings);
        std::erase_if(groups, [this](const auto& group) { return !isWanted(group.first); });
        RETURN_IF_ERROR(readAll(groups));
        if (isWanted(metric::kGpuPower) || isWanted(metric::kGpuEnergy))
            RETURN_IF_ERROR(measureEnergies(series));
        finish();
        return std::move(m_summary);
    }

private:
    [[nodiscard]] bool isWanted(const std::string& metric) const {
        return m_scope.metrics.empty()
            || std::find(m_scope.metrics.begin(), m_scope.metrics.end(), metric)
            != m_scope.metrics.end();
    }

    GpuSummary& gpuOf(int rank) {
        auto& gpu = m_gpus[rank];
        gpu.gpu.rank = rank;
        return gpu;
    }

    NodeSummary& nodeOf(int node) {
        auto& summary = m_nodes[node];
        summary.node = node;
        return summary;
    }

    // The values of all series of one metric together.
    struct Pool {
        Distribution gpus;
        Distribution nodes;
        std::size_t missing = 0; // series that are still to come
    };
    struct Quantiles {
        std::string metric;
        Distribution::Quantiles values;
    };

    Status readAll(const std::map<std::string, std::vector<Series>>& groups) {
        OrderedJobs<Quantiles> pooled(
            WorkerPool::shared(), kMostPools, [this](Quantiles&& quantiles) {
                SubjectStatistics& all = m_summary.metrics[quantiles.metric].all;
                all.p50 = quantiles.values.lower;
                all.p99 = quantiles.values.upper;
            });
        std::vector<const Series*> all;
        for (const auto& [name, group] : groups) {
            m_summary.metrics[name].metric = group.front().description.metric;
            m_pools[name].missing = group.size();
            for (const Series& series : group)
                all.push_back(&series);
        }
        const auto read
            = [this](const store::Store& store, const Series* series, const Progress& progress) {
                  return seriesStatistics(store, *series, goesOn(progress), m_window);
              };
        const auto add = [&](const Series* series, SeriesStatistics&& computed) {
            take(*series, std::move(computed));
            if (m_pools[series->description.metric.name].missing == 0)
                pooled.submit(poolJob(series->description.metric.name));
            return Status();
        };
        RETURN_IF_ERROR(forEachPart(m_study, kPhase, all, read, add));
        pooled.finish();
        return {};
    }

    static KeepGoing goesOn(const Progress& progress) {
        return [&progress] { return progress({kPhase, 0, 0}); };
    }

    void take(const Series& series, SeriesStatistics&& computed) {
        const auto& description = series.description;
        warnOfResets(series, computed.statistics);
        Pool& pool = m_pools[description.metric.name];
        (description.subject.kind == SubjectKind::Gpu ? pool.gpus : pool.nodes)
            .add(std::move(computed.distribution));
        --pool.missing;
        place(description.subject, description.metric.name, computed.statistics);
        if (computed.energy)
            addEnergy(series, *computed.energy);
    }

    std::function<Quantiles()> poolJob(const std::string& metric) {
        auto pool = std::make_shared<Pool>(std::move(m_pools.extract(metric).mapped()));
        return [metric, pool] {
            const Distribution& values = pool->gpus.totalWeight() > 0 ? pool->gpus : pool->nodes;
            return Quantiles{metric, values.quantiles(0.50, 0.99)};
        };
    }

    void place(
        const Subject& subject, const std::string& name, const SubjectStatistics& statistics) {
        switch (subject.kind) {
        case SubjectKind::Gpu:
            gpuOf(subject.rank).metrics[name] = statistics;
            break;
        case SubjectKind::Node:
            nodeOf(subject.node).metrics[name] = statistics;
            break;
        case SubjectKind::Link:
            m_links[subject.node][name].push_back(statistics);
            break;
        case SubjectKind::Switch:
        case SubjectKind::Run:
            m_others[name].push_back(statistics);
            break;
        }
    }

    // A single sample covers no time: its energy is not known, and not 0.
    void addEnergy(const Series& power, const EnergyIntegral& integral) {
        if (integral.covered().ns <= 0)
            return;
        Energy energy{integral.joules(), 0.0};
        energy.resolutionS = power.period.seconds();
        if (m_summary.duration.ns > 0) {
            energy.coverage = std::min(1.0,
                static_cast<double>(integral.covered().ns)
                    / static_cast<double>(m_summary.duration.ns));
        }
        const Subject& subject = power.description.subject;
        if (subject.kind == SubjectKind::Gpu)
            gpuOf(subject.rank).energy = energy;
        else if (subject.kind == SubjectKind::Node)
            nodeOf(subject.node).energy = energy;
        else
            m_switches[subject.device] = energy;
    }

    // Takes the energy of GPUs with an energy counter from it.
    Status measureEnergies(const std::vector<Series>& series) {
        const TimeRange window = m_window == kAllTime ? m_summary.run.range : m_window;
        std::vector<std::pair<int, EnergySeries>> counted;
        for (const auto& [rank, gpu] : gpuSeriesByRank(series)) {
            if (EnergySeries measures = energySeriesOf(gpu); measures.counter)
                counted.emplace_back(rank, std::move(measures));
        }
        const auto read
            = [window](const store::Store& store, const auto& gpu, const Progress& progress) {
                  return measuredEnergies(store, gpu.second, {window}, goesOn(progress));
              };
        const auto take = [this](const auto& gpu, auto&& energies) {
            if (energies.front())
                gpuOf(gpu.first).energy = energies.front();
            return Status();
        };
        return forEachPart(m_study, kPhase, counted, read, take);
    }

    void warnOfResets(const Series& series, const SubjectStatistics& statistics) {
        if (statistics.resets == 0)
            return;
        m_summary.warnings.push_back(series.description.metric.name + " of "
            + subjectText(series.description.subject) + " was reset "
            + std::to_string(statistics.resets) + (statistics.resets == 1 ? " time" : " times")
            + "; it counts from zero there, so its total is a lower bound.");
    }

    void finish() {
        addLinks();
        for (auto& [name, metric] : m_summary.metrics)
            combine(name, metric);
        for (auto& [rank, gpu] : m_gpus) {
            nodeOf(gpu.gpu.node);
            m_summary.gpus.push_back(std::move(gpu));
        }
        addRunEnergy();
        for (auto& [node, summary] : m_nodes)
            m_summary.nodes.push_back(std::move(summary));
        addNodeEnergy(m_summary, m_switches);
    }

    // A node's own values stay.
    void addLinks() {
        for (const auto& [node, metrics] : m_links) {
            for (const auto& [name, links] : metrics)
                nodeOf(node).metrics.try_emplace(
                    name, combinedLinks(links, m_summary.metrics.at(name).metric));
        }
    }

    // A sum has no quantiles: they are not those of its parts.
    [[nodiscard]] bool hasSummedLinks(const std::string& name, const Metric& metric) const {
        return addsUp(metric)
            && std::any_of(m_links.begin(), m_links.end(), [&name](const auto& node) {
                   const auto found = node.second.find(name);
                   return found != node.second.end() && found->second.size() > 1;
               });
    }

    // Nodes from their GPUs, the run from its GPUs (else its nodes), and the imbalance.
    void combine(const std::string& name, MetricSummary& metric) {
        std::map<int, std::vector<SubjectStatistics>> byNode;
        std::vector<SubjectStatistics> subjects;
        for (const auto& [rank, gpu] : m_gpus) {
            if (const auto found = gpu.metrics.find(name); found != gpu.metrics.end()) {
                byNode[gpu.gpu.node].push_back(found->second);
                subjects.push_back(found->second);
            }
        }
        const bool isOfSums = subjects.empty() && hasSummedLinks(name, metric.metric);
        if (subjects.empty()) {
            for (const auto& [node, summary] : m_nodes) {
                if (const auto found = summary.metrics.find(name); found != summary.metrics.end())
                    subjects.push_back(found->second);
            }
            metric.interNodeStd = populationStd(meansOf(subjects));
            if (subjects.empty())
                subjects = m_others[name];
        } else {
            std::map<int, std::vector<double>> means;
            for (const auto& [node, gpus] : byNode) {
                nodeOf(node).metrics.try_emplace(name, combined(gpus));
                means[node] = meansOf(gpus);
            }
            const auto spread = imbalance(means);
            metric.intraNodeStd = spread.intraNode;
            metric.interNodeStd = spread.interNode;
        }
        const auto p50 = metric.all.p50;
        const auto p99 = metric.all.p99;
        metric.all = combined(subjects);
        metric.all.p50 = isOfSums ? std::nullopt : p50;
        metric.all.p99 = isOfSums ? std::nullopt : p99;
        keepInRange(metric.all);
    }

    void addRunEnergy() {
        m_summary.secondDies = secondDies(m_summary.gpus);
        m_summary.energy = energyOfGpus(m_summary.gpus, m_summary.secondDies);
        const auto isTold = [this](const GpuSummary& gpu) {
            return gpu.energy && m_summary.secondDies.contains(gpu.gpu.rank);
        };
        if (std::any_of(m_summary.gpus.begin(), m_summary.gpus.end(), isTold))
            m_summary.warnings.emplace_back(
                "Both dies of each package tell the same energy: it counts once in that of the "
                "run.");
    }

    const RunStudy& m_study;
    const store::Store& m_store;
    const SummaryScope& m_scope;
    TimeRange m_window;
    RunSummary m_summary;
    std::map<int, GpuSummary> m_gpus;
    std::map<int, NodeSummary> m_nodes;
    std::map<std::string, std::vector<SubjectStatistics>> m_others; // switches and the run
    std::map<int, std::map<std::string, std::vector<SubjectStatistics>>> m_links; // by node
    std::map<std::string, Energy> m_switches;
    std::map<std::string, Pool> m_pools; // incomplete ones
};

Result<RunSummary> summariseAll(const RunStudy& study) {
    return summarise(study, SummaryScope{});
}

} // namespace

std::optional<double> statisticOf(const std::map<std::string, SubjectStatistics>& metrics,
    const std::string& metric, std::optional<double> SubjectStatistics::*field) {
    const auto found = metrics.find(metric);
    return found == metrics.end() ? std::nullopt : found->second.*field;
}

std::optional<double> meanOf(const GpuSummary& gpu, const std::string& metric) {
    return statisticOf(gpu.metrics, metric, &SubjectStatistics::mean);
}

DurationNs runDuration(const std::vector<Series>& allSeries, const std::vector<Track>& tracks) {
    TimeRange dated = kNoTime;
    TimeRange undated = kNoTime;
    const auto take = [&](TimeRange range) {
        TimeRange& span = text::isDated(range.begin) ? dated : undated;
        span = spanned(span, range);
    };
    for (const Series& series : allSeries) {
        if (series.count > 0)
            take({series.range.begin, series.range.end - DurationNs{1}});
    }
    for (const Track& track : tracks) {
        if (track.count > 0)
            take(track.range);
    }
    const TimeRange span = dated.begin < dated.end ? dated : undated;
    return span.begin < span.end ? span.length() : DurationNs{};
}

Result<RunSummary> summarise(const RunStudy& study) {
    return study.once(summariseAll);
}

Result<RunSummary> summarise(const RunStudy& study, TimeRange window) {
    return window == kAllTime ? summarise(study) : summarise(study, SummaryScope{window, {}});
}

Result<RunSummary> summarise(const RunStudy& study, const SummaryScope& scope) {
    try {
        return Summariser(study, scope).run();
    } catch (const std::exception& problem) { // memory, or a thread that cannot be started
        return Error{ErrorCode::Internal,
            std::string("Memory or another resource ran out (") + problem.what() + ").",
            study.store.path().string()};
    }
}

} // namespace trainscope::analysis
