#include "importers/record/MarkLanes.h"

#include "core/model/StepFacts.h"

#include <algorithm>
#include <array>

namespace trainscope::record {

namespace {

// Metrics of the registry that a training script reports of itself.
constexpr std::array kOfScripts{metric::kLoss, metric::kGradNorm, metric::kLearningRate,
    metric::kStepTime, metric::kTokenRate, metric::kSampleRate, metric::kReportedFlops,
    metric::kReportedMfu, metric::kStepTokens, metric::kStepSamples};

std::string nameOf(const std::string& key) {
    if (key == "tokens")
        return metric::kStepTokens;
    return key == "samples" ? metric::kStepSamples : key;
}

Metric metricOf(const std::string& key) {
    const std::string name = nameOf(key);
    const KnownMetric* known = findMetric(name);
    if (known == nullptr)
        return {name, "1", metricKindOf(name, MetricKind::Gauge), name};
    if (std::find(kOfScripts.begin(), kOfScripts.end(), name) != kOfScripts.end())
        return *known;
    return {"marked_" + name, "1", MetricKind::Gauge, name + ", as marked"};
}

} // namespace

SeriesDescription MarkLanes::describe(const MarkedValue& value) const {
    SeriesDescription description;
    description.metric = metricOf(value.key);
    description.subject.kind = SubjectKind::Run;
    if (std::find(m_ranks.begin(), m_ranks.end(), value.rank) != m_ranks.end()) {
        description.subject.kind = SubjectKind::Gpu;
        description.subject.rank = value.rank;
        description.subject.node = m_node;
    }
    return description;
}

std::int64_t MarkLanes::write(store::Recording& recording) {
    std::int64_t written = 0;
    std::vector<MarkedValue> waiting = std::exchange(m_waiting, {});
    for (MarkedValue& value : waiting) {
        const std::pair key(value.key, value.rank);
        auto found = m_series.find(key);
        if (found == m_series.end() && m_series.size() >= kMostLanes) {
            ++m_leftOut;
            continue;
        }
        if (found == m_series.end()) {
            const auto series = recording.series(describe(value));
            if (!series.hasValue()) {
                m_waiting.push_back(std::move(value));
                continue;
            }
            found = m_series.emplace(key, series.value()).first;
        }
        recording.sample(found->second, value.time, value.value);
        ++written;
    }
    return written;
}

} // namespace trainscope::record
