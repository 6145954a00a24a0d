// Questions of lanes and what becomes of their answers.
#include "app/engine/BandCounts.h"
#include "app/engine/EngineLink.h"
#include "app/engine/TileFilling.h"

#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Mapping.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::app {

namespace {

using namespace importers::engine;

constexpr std::int64_t kRatePeriods = 4; // that a rate looks at, at least
constexpr Patience kSoonTold{2};

// Evenly over all of them.
template <typename Item, typename Name>
std::vector<std::string> someOf(const std::vector<Item>& all, std::size_t count, Name&& name) {
    std::vector<std::string> names;
    const std::size_t some = std::min(count, all.size());
    for (std::size_t i = 0; i < some; ++i)
        names.push_back(name(all[i * all.size() / some]));
    return names;
}

} // namespace

std::string EngineLink::conditionOf(const LaneScope& scope, const FoundMetric& metric) const {
    const bool hasUuids = metric.subject == SubjectKind::Gpu && !metric.uuidLabel.empty();
    if (!scope.uuid.empty())
        return metric.uuidLabel.empty() ? std::string() : oneOf(metric.uuidLabel, {scope.uuid});
    if (scope.some == 0)
        return {};
    if (hasUuids)
        return oneOf(metric.uuidLabel,
            someOf(m_roster.gpus(), scope.some, [](const Gpu& gpu) { return gpu.uuid; }));
    if (metric.nodeLabel.empty())
        return {};
    const std::size_t each = std::max<std::size_t>(
        1, scope.series / std::max<std::size_t>(1, m_roster.nodes().size()));
    return oneOf(metric.nodeLabel,
        someOf(m_roster.nodes(), std::max<std::size_t>(1, scope.some / each),
            [](const std::string& node) { return node; }));
}

ReductionScope EngineLink::reductionOf(const LaneScope& scope, const FoundMetric& metric) const {
    ReductionScope reduction;
    reduction.engineName = metric.engineName;
    reduction.isCounter = metric.metric.kind == MetricKind::Counter;
    reduction.leastRateMs = kRatePeriods * std::max<std::int64_t>(1, m_period);
    reduction.condition = conditionOf(scope, metric);
    return reduction;
}

void EngineLink::ask(const LaneScope& scope, const FoundMetric& metric, const Columns& columns,
    Questions& questions) {
    const ReductionScope reduction = reductionOf(scope, metric);
    const auto add = [&](HttpRequest request, Holds holds, std::size_t row = 0) {
        questions.push_back({&metric, holds, row,
            std::make_unique<Question>(*m_fetcher, std::move(request), kSoonTold)});
    };
    if (scope.rows == TileRows::Band) {
        if (isMetricsQl())
            return add(bandsRequest(m_link, reduction, columns), Holds::ByLabels);
        for (const std::size_t row : {std::size_t{0}, kBandRows - 1})
            add(bandRequest(m_link, reduction, row, columns), Holds::Row, row);
        add(distributionRequest(m_link, reduction, columns), Holds::Distribution);
        questions.back().counts = std::make_shared<BandCounts>();
    } else if (scope.rows == TileRows::Nodes) {
        add(nodeRequest(m_link, reduction, columns), Holds::Rate);
    } else if (scope.rows == TileRows::Mean) {
        add(meanRequest(m_link, reduction, columns), Holds::Row);
    } else if (reduction.isCounter) {
        add(seriesRequest(m_link, reduction, Reduced::Mean, columns), Holds::Rate);
    } else if (isMetricsQl()) {
        add(rollupRequest(m_link, reduction, columns), Holds::ByLabels);
    } else {
        add(seriesRequest(m_link, reduction, Reduced::Min, columns), Holds::Low);
        add(seriesRequest(m_link, reduction, Reduced::Mean, columns), Holds::Mean);
        add(seriesRequest(m_link, reduction, Reduced::Max, columns), Holds::High);
    }
}

Result<EngineLink::Tiles> EngineLink::fetch(const LaneScope& scope, std::int64_t stepMs,
    std::int64_t first, int count, const IsCancelled& isCancelled) {
    RETURN_IF_ERROR(learn(isCancelled));
    Columns columns;
    columns.beginMs = first * LaneTile::kColumns * stepMs;
    columns.stepMs = stepMs;
    columns.count = LaneTile::kColumns * count;
    columns.rangeMs = rangeOf(scope, stepMs);
    const std::int64_t askedMs = wallClock().ns / text::kMillisecond;
    Tiles tiles;
    for (int i = 0; i < count; ++i) {
        auto tile = std::make_shared<LaneTile>();
        const std::int64_t endMs = (first + i + 1) * LaneTile::kColumns * stepMs;
        // Scrapes come late by as much as a remote write waits.
        constexpr std::int64_t lateMs = 120'000;
        tile->isFinal = endMs + lateMs < askedMs;
        tile->isSampled = columns.rangeMs < stepMs;
        tile->askedMs = askedMs;
        tiles.push_back(std::move(tile));
    }
    Questions questions;
    for (const FoundMetric& metric : m_link.metrics) {
        if (metric.metric.name == scope.metric && count > 0)
            ask(scope, metric, columns, questions);
    }
    TileFilling filling(tiles, columns);
    Trouble trouble = Trouble::None;
    const Status taken = takeAll(questions, scope, filling, trouble, isCancelled);
    if (trouble == Trouble::TooMuch && count > 1)
        return fetchHalves(scope, stepMs, first, count, isCancelled);
    if (!taken.hasValue())
        return taken.error();
    for (const Asked& asked : questions) {
        if (asked.counts && !asked.counts->isKnown())
            RETURN_IF_ERROR(
                takeQuantiles(scope, *asked.metric, columns, filling, trouble, isCancelled));
    }
    const bool isOfSubjects = scope.rows == TileRows::Series || scope.rows == TileRows::Nodes;
    const auto contested = isOfSubjects ? filling.contested() : std::set<std::string>();
    questions.clear();
    for (const FoundMetric& metric : m_link.metrics) {
        if (metric.metric.name == scope.metric && contested.contains(metric.engineName))
            questions.push_back({&metric, Holds::Counts, 0,
                std::make_unique<Question>(*m_fetcher,
                    countRequest(
                        m_link, reductionOf(scope, metric), scope.rows == TileRows::Nodes, columns),
                    kSoonTold)});
    }
    RETURN_IF_ERROR(takeAll(questions, scope, filling, trouble, isCancelled));
    filling.finish();
    return tiles;
}

Status EngineLink::takeQuantiles(const LaneScope& scope, const FoundMetric& metric,
    const Columns& columns, TileFilling& filling, Trouble& trouble,
    const IsCancelled& isCancelled) {
    Questions questions;
    for (std::size_t row = 1; row + 1 < kBandRows; ++row)
        questions.push_back({&metric, Holds::Row, row,
            std::make_unique<Question>(*m_fetcher,
                bandRequest(m_link, reductionOf(scope, metric), row, columns), kSoonTold)});
    return takeAll(questions, scope, filling, trouble, isCancelled);
}

Result<EngineLink::Tiles> EngineLink::fetchHalves(const LaneScope& scope, std::int64_t stepMs,
    std::int64_t first, int count, const IsCancelled& isCancelled) {
    ASSIGN_OR_RETURN(auto tiles, fetch(scope, stepMs, first, count / 2, isCancelled));
    ASSIGN_OR_RETURN(
        auto later, fetch(scope, stepMs, first + count / 2, count - count / 2, isCancelled));
    std::move(later.begin(), later.end(), std::back_inserter(tiles));
    return tiles;
}

Status EngineLink::takeAll(Questions& questions, const LaneScope& scope, TileFilling& filling,
    Trouble& trouble, const IsCancelled& isCancelled) {
    for (Asked& asked : questions) {
        ASSIGN_OR_RETURN(const auto reply, asked.question->wait(isCancelled));
        m_wireBytes += reply.wireBytes;
        trouble = reply.trouble;
        if (reply.trouble != Trouble::None)
            return reply.error;
        RETURN_IF_ERROR(take(asked, reply.body, scope, filling));
        for (std::size_t row = 1; asked.counts && asked.counts->isKnown() && row + 1 < kBandRows;
             ++row)
            filling.addMean(static_cast<std::int64_t>(row), asked.metric->engineName,
                asked.counts->quantile(kBandQuantiles.at(row - 1)), asked.metric->scale);
    }
    return {};
}

std::optional<std::int64_t> EngineLink::rowOf(
    const Labels& labels, const Asked& asked, TileRows rows) const {
    Labels named = labels;
    named.name = asked.metric->engineName;
    if (rows == TileRows::Nodes) {
        std::vector<importers::MetricLabel> views;
        for (const auto& [label, value] : named.rest)
            views.push_back({label, value});
        if (!m_link.mapping.nodeLabel.empty())
            views = {{importers::labelsOf(importers::LabelRole::Node).front(),
                named.find(m_link.mapping.nodeLabel)}};
        const auto node = m_roster.find(importers::exporterSubject(SubjectKind::Node, views));
        return node ? std::optional<std::int64_t>(node->node) : std::nullopt;
    }
    const auto subject = subjectOf(std::move(named), *asked.metric);
    return subject ? std::optional(rowKey(*subject)) : std::nullopt;
}

std::optional<Subject> EngineLink::subjectOf(Labels labels, const FoundMetric& metric) const {
    labels.name = metric.engineName;
    const auto meaning = meaningOf(labels, m_link.mapping);
    // The same name may be of another metric of ours, by a label.
    if (!meaning || meaning->description.metric.name != metric.metric.name)
        return std::nullopt;
    return m_roster.find(meaning->whom);
}

Status EngineLink::take(const Asked& asked, const std::string& body, const LaneScope& scope,
    TileFilling& filling) const {
    const double scale = asked.metric->scale;
    const std::string& name = asked.metric->engineName;
    const auto addBand = [&](std::size_t row, const AnsweredSeries& series) {
        const auto key = static_cast<std::int64_t>(row);
        filling.addMean(key, name, series, scale);
        filling.addLow(key, series, scale);
        filling.addHigh(key, series, scale);
    };
    const auto read = readSamples(body, [&](AnsweredSeries& series) -> Status {
        if (asked.counts) {
            asked.counts->add(distributedOf(series.labels), series);
            return {};
        }
        if (scope.rows == TileRows::Band || scope.rows == TileRows::Mean) {
            const auto row
                = asked.holds == Holds::Row ? std::optional(asked.row) : bandRowOf(series.labels);
            if (row)
                addBand(*row, series);
            return {};
        }
        const auto reduced = takeReduced(series.labels);
        const auto key = rowOf(series.labels, asked, scope.rows);
        if (!key)
            return {};
        const bool isRate = asked.holds == Holds::Rate;
        const bool isByLabels = asked.holds == Holds::ByLabels;
        if (asked.holds == Holds::Counts)
            filling.addCount(*key, name, series);
        if (isRate || asked.holds == Holds::Low || (isByLabels && reduced == Reduced::Min))
            filling.addLow(*key, series, scale);
        if (isRate || asked.holds == Holds::Mean || (isByLabels && reduced == Reduced::Mean))
            filling.addMean(*key, name, series, scale);
        if (isRate || asked.holds == Holds::High || (isByLabels && reduced == Reduced::Max))
            filling.addHigh(*key, series, scale);
        return {};
    });
    return read.hasValue() ? Status() : Status(read.error());
}

} // namespace trainscope::app
