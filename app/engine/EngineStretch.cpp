// Statistics of each series of a metric over a stretch of time, asked of an engine.
#include "app/engine/EngineFigures.h"
#include "app/engine/EngineLink.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "importers/engine/Answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace trainscope::app {

namespace {

using namespace importers::engine;

constexpr std::array kStretchStatistics{Reduced::Min, Reduced::Mean, Reduced::Max, Reduced::Count};

void put(SeriesFigure& figure, Reduced what, double value, double scale) {
    switch (what) {
    case Reduced::Min:
        figure.min = value * scale;
        return;
    case Reduced::Mean:
        figure.mean = value * scale;
        return;
    case Reduced::Max:
        figure.max = value * scale;
        return;
    case Reduced::Count:
        figure.count = value;
        return;
    }
}

void join(SeriesFigure& into, const SeriesFigure& other) {
    if (other.total)
        into.total = into.total.value_or(0.0) + *other.total;
    if (other.count <= 0.0)
        return;
    const bool isFirst = into.count <= 0.0;
    into.min = isFirst ? other.min : std::min(into.min, other.min);
    into.max = isFirst ? other.max : std::max(into.max, other.max);
    const double count = into.count + other.count;
    into.mean = (into.mean * into.count + other.mean * other.count) / count;
    into.count = count;
}

// Figures by sets of labels, of which the same subject may have several.
class StretchReading {
public:
    void add(const Subject& subject, const std::string& labels, Reduced what, double value,
        const FoundMetric& metric) {
        const auto [at, isNew] = m_parts.try_emplace(labels);
        if (isNew)
            at->second.subject = subject;
        if (metric.metric.kind == MetricKind::Counter)
            at->second.total = value * metric.scale;
        else
            put(at->second, what, value, metric.scale);
    }

    // Each sample covers `period` seconds; what is scraped twice covers nothing twice.
    [[nodiscard]] std::vector<SeriesFigure> figures(
        const std::string& metric, double period, double stretch) const {
        std::map<std::int64_t, SeriesFigure> joined;
        for (const auto& [labels, part] : m_parts) {
            SeriesFigure& into = joined[rowKey(part.subject)];
            into.metric = metric;
            into.subject = part.subject;
            join(into, part);
        }
        std::vector<SeriesFigure> figures;
        for (auto& [row, figure] : joined) {
            figure.coveredSeconds = std::min(stretch, figure.count * period);
            figures.push_back(std::move(figure));
        }
        return figures;
    }

private:
    std::map<std::string, SeriesFigure> m_parts;
};

} // namespace

std::vector<std::string> EngineLink::metrics() const {
    std::vector<std::string> names;
    // Metrics that users look for first come first.
    for (const char* first : {metric::kGpuPower, metric::kGpuTemperature}) {
        if (countOf(first) > 0)
            names.emplace_back(first);
    }
    for (const auto& found : m_link.metrics) {
        if (std::find(names.begin(), names.end(), found.metric.name) == names.end())
            names.push_back(found.metric.name);
    }
    return names;
}

EngineLink::Questions EngineLink::askStretch(const std::string& metric, TimeRange stretch) {
    Questions questions;
    for (const FoundMetric& found : m_link.metrics) {
        if (found.metric.name != metric || stretch.isEmpty())
            continue;
        const auto scope = reductionOf({metric, TileRows::Series, 0, {}, 0}, found);
        const auto add = [&](HttpRequest request, Reduced what) {
            questions.push_back({&found, Holds::ByLabels, static_cast<std::size_t>(what),
                std::make_unique<Question>(*m_fetcher, std::move(request), Patience{2})});
        };
        if (!scope.isCounter && isMetricsQl()) {
            add(stretchesRequest(m_link, scope, stretch), Reduced::Count);
            continue;
        }
        for (const Reduced what : kStretchStatistics) {
            if (!scope.isCounter || what == Reduced::Count)
                add(stretchRequest(m_link, scope, what, stretch), what);
        }
    }
    return questions;
}

Result<std::vector<SeriesFigure>> EngineLink::figures(
    const std::string& metric, TimeRange stretch, const IsCancelled& isCancelled) {
    RETURN_IF_ERROR(learn(isCancelled));
    ASSIGN_OR_RETURN(const auto period, periodOf(metric, isCancelled));
    StretchReading reading;
    for (Asked& asked : askStretch(metric, stretch)) {
        ASSIGN_OR_RETURN(const auto reply, asked.question->wait(isCancelled));
        m_wireBytes += reply.wireBytes;
        if (reply.trouble != Trouble::None)
            return reply.error;
        const auto read = readSamples(reply.body, [&](AnsweredSeries& series) -> Status {
            const auto told = takeReduced(series.labels);
            series.labels.name = asked.metric->engineName;
            const auto subject = subjectOf(series.labels, *asked.metric);
            if (subject && !series.values.empty() && !std::isnan(series.values.front()))
                reading.add(*subject, series.labels.text(),
                    told.value_or(kStretchStatistics.at(asked.row)), series.values.front(),
                    *asked.metric);
            return {};
        });
        if (!read.hasValue())
            return read.error();
    }
    return reading.figures(metric, static_cast<double>(period) * 1e-3, stretch.length().seconds());
}

} // namespace trainscope::app
