#include "core/analysis/Summary.h"

#include "core/analysis/CompensatedSum.h"
#include "core/analysis/Imbalance.h"
#include "core/analysis/MergeStatistics.h"
#include "core/analysis/SeriesSelection.h"
#include "core/analysis/SeriesStatistics.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

constexpr std::string_view kPower = "gpu_power";

// Builds one RunSummary, metric by metric.
class Summariser {
public:
    Summariser(const store::Store& store, const Run& run, const Progress& progress)
        : m_store(store)
        , m_progress(progress) {
        m_summary.run = run;
    }

    Result<RunSummary> run() {
        const auto gpus = m_store.gpus(m_summary.run.id);
        const auto series = m_store.series(m_summary.run.id);
        const auto tracks = m_store.tracks(m_summary.run.id);
        for (const Error* error : {gpus.hasValue() ? nullptr : &gpus.error(),
                 series.hasValue() ? nullptr : &series.error(),
                 tracks.hasValue() ? nullptr : &tracks.error()}) {
            if (error != nullptr)
                return *error;
        }
        for (const Gpu& gpu : gpus.value())
            gpuOf(gpu.rank).gpu = gpu;
        m_summary.duration = runDuration(series.value(), tracks.value());
        m_seriesTotal = series.value().size();
        for (const auto& [name, group] : seriesByMetric(series.value(), m_summary.warnings)) {
            if (auto status = addMetric(name, group); !status.hasValue())
                return status.error();
        }
        finish();
        return std::move(m_summary);
    }

private:
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

    Status addMetric(const std::string& name, const std::vector<Series>& group) {
        MetricSummary metric;
        metric.metric = group.front().description.metric;
        Distribution gpuValues;
        Distribution nodeValues;
        for (const Series& series : group) {
            auto computed = seriesStatistics(m_store, series, [this] { return keepGoing(); });
            if (!computed.hasValue())
                return computed.error();
            warnOfResets(series, computed.value().statistics);
            const bool isGpu = series.description.subject.kind == SubjectKind::Gpu;
            (isGpu ? gpuValues : nodeValues).add(computed.value().distribution);
            place(series.description.subject, name, computed.value().statistics);
            if (auto status = addEnergy(series); !status.hasValue())
                return status;
            ++m_seriesDone;
        }
        if (gpuValues.totalWeight() == 0)
            gpuValues = std::move(nodeValues);
        metric.all.p50 = gpuValues.quantile(0.50);
        metric.all.p99 = gpuValues.quantile(0.99);
        m_summary.metrics.emplace(name, std::move(metric));
        return {};
    }

    void place(const Subject& subject, const std::string& name, SubjectStatistics statistics) {
        switch (subject.kind) {
        case SubjectKind::Gpu:
            gpuOf(subject.rank).metrics[name] = statistics;
            break;
        case SubjectKind::Node:
            nodeOf(subject.node).metrics[name] = statistics;
            break;
        case SubjectKind::Link:
            addLink(nodeOf(subject.node).metrics[name], statistics);
            break;
        }
    }

    Status addEnergy(const Series& series) {
        const auto& description = series.description;
        if (description.metric.name != kPower || description.subject.kind != SubjectKind::Gpu)
            return {};
        auto energy
            = seriesEnergy(m_store, series, m_summary.duration, [this] { return keepGoing(); });
        if (!energy.hasValue())
            return energy.error();
        gpuOf(description.subject.rank).energy = energy.value();
        return {};
    }

    void warnOfResets(const Series& series, const SubjectStatistics& statistics) {
        if (statistics.resets == 0)
            return;
        m_summary.warnings.push_back(series.description.metric.name + " of "
            + subjectText(series.description.subject) + " was reset "
            + std::to_string(statistics.resets) + (statistics.resets == 1 ? " time" : " times")
            + "; it counts from zero there, so its total is a lower bound.");
    }

    bool keepGoing() const {
        return !m_progress || m_progress({"Computing statistics", m_seriesDone, m_seriesTotal});
    }

    void finish() {
        for (auto& [name, metric] : m_summary.metrics)
            combine(name, metric);
        addRunEnergy();
        for (auto& [rank, gpu] : m_gpus) {
            nodeOf(gpu.gpu.node);
            m_summary.gpus.push_back(std::move(gpu));
        }
        for (auto& [node, summary] : m_nodes)
            m_summary.nodes.push_back(std::move(summary));
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
        if (subjects.empty()) {
            for (const auto& [node, summary] : m_nodes) {
                if (const auto found = summary.metrics.find(name); found != summary.metrics.end())
                    subjects.push_back(found->second);
            }
            metric.interNodeStd = populationStd(meansOf(subjects));
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
        metric.all.p50 = p50;
        metric.all.p99 = p99;
    }

    void addRunEnergy() {
        Energy total;
        bool known = false;
        CompensatedSum joules;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!gpu.energy)
                continue;
            known = true;
            joules.add(gpu.energy->joules);
            total.coverage += gpu.energy->coverage;
        }
        if (!known)
            return;
        total.joules = joules.value();
        total.coverage /= static_cast<double>(m_gpus.size());
        m_summary.energy = total;
    }

    const store::Store& m_store;
    const Progress& m_progress;
    RunSummary m_summary;
    std::map<int, GpuSummary> m_gpus;
    std::map<int, NodeSummary> m_nodes;
    std::size_t m_seriesDone = 0;
    std::size_t m_seriesTotal = 0;
};

} // namespace

DurationNs runDuration(const std::vector<Series>& allSeries, const std::vector<Track>& tracks) {
    TimeRange span = {kAllTime.end, kAllTime.begin};
    const auto include = [&span](TimeNs begin, TimeNs end) {
        span = {std::min(span.begin, begin), std::max(span.end, end)};
    };
    for (const Series& series : allSeries) {
        if (series.count > 0)
            include(series.range.begin, series.range.end - DurationNs{1});
    }
    for (const Track& track : tracks) {
        if (track.count > 0)
            include(track.range.begin, track.range.end);
    }
    return span.begin < span.end ? span.length() : DurationNs{};
}

Result<RunSummary> summarise(const store::Store& store, const Run& run, const Progress& progress) {
    return Summariser(store, run, progress).run();
}

} // namespace trainscope::analysis
