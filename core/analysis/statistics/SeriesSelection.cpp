#include "core/analysis/statistics/SeriesSelection.h"

#include "core/text/Names.h"
#include "core/text/Numbers.h"

#include <tuple>

namespace trainscope::analysis {

namespace {

using SubjectKey = std::tuple<SubjectKind, int, int, std::string>;

SubjectKey keyOf(const Subject& subject) {
    return {subject.kind, subject.rank, subject.node, subject.device};
}

// The series that two sources have in common, by metric.
using Twins = std::map<std::string, std::vector<const Series*>>;

// One for a run, however many GPUs and metrics two sources have in common.
std::string twinWarning(const Twins& twins) {
    constexpr std::size_t kMostNamed = 3;
    const auto& [metric, series] = *twins.begin();
    if (twins.size() == 1 && series.size() == 1)
        return metric + " of " + subjectText(series.front()->description.subject)
            + " was recorded by two sources; the one with more values is used.";
    const std::string kept
        = " recorded by two sources; for each, the one with more values is used.";
    if (twins.size() == 1)
        return metric + " of " + subjectText(series.front()->description.subject) + " and "
            + std::to_string(series.size() - 1) + " more was" + kept;
    std::vector<std::string> named;
    for (const auto& [name, all] : twins) {
        if (named.size() < kMostNamed)
            named.push_back(name);
    }
    if (twins.size() > kMostNamed)
        named.push_back(text::counted(std::ssize(twins) - std::ssize(named), "other"));
    return text::joined(named) + " were" + kept;
}

} // namespace

std::string subjectText(const Subject& subject) {
    switch (subject.kind) {
    case SubjectKind::Gpu:
        return "rank " + std::to_string(subject.rank);
    case SubjectKind::Link:
        return "node " + std::to_string(subject.node) + ", link " + subject.device;
    case SubjectKind::Switch:
        return "switch " + subject.device;
    case SubjectKind::Run:
        return "the run";
    case SubjectKind::Node:
        break;
    }
    return "node " + std::to_string(subject.node);
}

bool speaksFor(const Series& series, const Series& twin) {
    return series.count - series.missing > twin.count - twin.missing;
}

std::map<std::string, std::vector<Series>> seriesByMetric(
    const std::vector<Series>& all, std::vector<std::string>& warnings) {
    struct Group {
        std::vector<Series> series;
        std::map<SubjectKey, std::size_t> places; // in `series`
        std::vector<const Series*> twins;
    };
    std::map<std::string, Group> groups;
    for (const Series& series : all) {
        Group& group = groups[series.description.metric.name];
        const auto [place, isNew]
            = group.places.try_emplace(keyOf(series.description.subject), group.series.size());
        if (isNew) {
            group.series.push_back(series);
            continue;
        }
        group.twins.push_back(&series);
        Series& twin = group.series[place->second];
        if (speaksFor(series, twin))
            twin = series;
    }
    std::map<std::string, std::vector<Series>> result;
    Twins twins;
    for (auto& [metric, group] : groups) {
        if (!group.twins.empty())
            twins.emplace(metric, std::move(group.twins));
        result.emplace(metric, std::move(group.series));
    }
    if (!twins.empty())
        warnings.push_back(twinWarning(twins));
    return result;
}

std::map<std::string, std::vector<Series>> seriesByMetric(const std::vector<Series>& all) {
    std::vector<std::string> warnings;
    return seriesByMetric(all, warnings);
}

std::map<int, GpuSeries> gpuSeriesByRank(const std::vector<Series>& all) {
    std::map<int, GpuSeries> gpus;
    for (const auto& [metric, series] : seriesByMetric(all)) {
        for (const Series& one : series) {
            if (one.description.subject.kind == SubjectKind::Gpu && one.count > one.missing)
                gpus[one.description.subject.rank].emplace(metric, one);
        }
    }
    return gpus;
}

std::vector<Series> gpuSeriesOf(const std::map<int, GpuSeries>& gpus, const std::string& metric) {
    std::vector<Series> out;
    for (const auto& [rank, gpu] : gpus) {
        if (const auto found = gpu.find(metric); found != gpu.end())
            out.push_back(found->second);
    }
    return out;
}

} // namespace trainscope::analysis
