#include "core/analysis/statistics/MergeStatistics.h"

#include "core/analysis/statistics/Imbalance.h"

#include <algorithm>
#include <functional>

namespace trainscope::analysis {

namespace {

using Field = std::optional<double> SubjectStatistics::*;

template <typename Combine>
void merge(SubjectStatistics& into, const SubjectStatistics& part, Field field, Combine combine) {
    if (!(part.*field))
        return;
    into.*field = into.*field ? combine(*(into.*field), *(part.*field)) : *(part.*field);
}

void addCounts(SubjectStatistics& into, const SubjectStatistics& part) {
    into.samples += part.samples;
    into.missing += part.missing;
    into.wraps += part.wraps;
    into.resets += part.resets;
}

} // namespace

SubjectStatistics combined(const std::vector<SubjectStatistics>& parts) {
    if (parts.size() == 1)
        return parts.front();
    SubjectStatistics result;
    for (const auto& part : parts) {
        merge(result, part, &SubjectStatistics::min,
            [](double a, double b) { return std::min(a, b); });
        merge(result, part, &SubjectStatistics::max,
            [](double a, double b) { return std::max(a, b); });
        merge(result, part, &SubjectStatistics::total, std::plus<double>());
        addCounts(result, part);
    }
    result.mean = meanOf(meansOf(parts));
    return result;
}

void addLink(SubjectStatistics& sum, const SubjectStatistics& link) {
    if (sum.samples == 0) {
        sum = link;
        return;
    }
    merge(sum, link, &SubjectStatistics::total, std::plus<double>());
    merge(sum, link, &SubjectStatistics::mean, std::plus<double>());
    addCounts(sum, link);
    sum.min.reset();
    sum.max.reset();
    sum.p50.reset();
    sum.p99.reset();
}

std::vector<double> meansOf(const std::vector<SubjectStatistics>& parts) {
    std::vector<double> means;
    for (const auto& part : parts) {
        if (part.mean)
            means.push_back(*part.mean);
    }
    return means;
}

} // namespace trainscope::analysis
