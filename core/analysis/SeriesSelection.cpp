#include "core/analysis/SeriesSelection.h"

#include <algorithm>
#include <tuple>

namespace trainscope::analysis {

namespace {

auto subjectKey(const Subject& subject) {
    return std::tuple(subject.kind, subject.rank, subject.node, subject.device);
}

} // namespace

std::string subjectText(const Subject& subject) {
    switch (subject.kind) {
    case SubjectKind::Gpu:
        return "rank " + std::to_string(subject.rank);
    case SubjectKind::Link:
        return "node " + std::to_string(subject.node) + ", link " + subject.device;
    case SubjectKind::Node:
        break;
    }
    return "node " + std::to_string(subject.node);
}

std::map<std::string, std::vector<Series>> seriesByMetric(
    const std::vector<Series>& all, std::vector<std::string>& warnings) {
    std::map<std::string, std::vector<Series>> result;
    for (const Series& series : all) {
        auto& group = result[series.description.metric.name];
        const auto twin = std::find_if(group.begin(), group.end(), [&](const Series& other) {
            return subjectKey(other.description.subject) == subjectKey(series.description.subject);
        });
        if (twin == group.end()) {
            group.push_back(series);
            continue;
        }
        warnings.push_back(series.description.metric.name + " of "
            + subjectText(series.description.subject)
            + " was recorded by two sources; the one with more values is used.");
        if (series.count - series.missing > twin->count - twin->missing)
            *twin = series;
    }
    return result;
}

} // namespace trainscope::analysis
