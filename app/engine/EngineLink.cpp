#include "app/engine/EngineLink.h"

#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Mapping.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trainscope::app {

namespace {

using namespace importers::engine;

constexpr float kNoColumn = std::numeric_limits<float>::quiet_NaN();
// Samples that an engine may read for one tile: tens of millions for a lane.
constexpr std::int64_t kMostRead = 2'500'000;
constexpr std::int64_t kUsualPeriodMs = 15'000;
constexpr std::int64_t kRatePeriods = 4; // that a rate looks at, at least

LaneTile::Row& rowIn(LaneTile& tile, std::int64_t key) {
    LaneTile::Row& row = tile.rows[key];
    if (row.mean.empty()) {
        row.low.assign(LaneTile::kColumns, kNoColumn);
        row.mean = row.low;
        row.high = row.low;
    }
    return row;
}

void lower(float& into, float value) {
    into = std::isnan(into) ? value : std::min(into, value);
}
void raise(float& into, float value) {
    into = std::isnan(into) ? value : std::max(into, value);
}

bool measures(const FoundMetric& metric, const std::string& name) {
    return metric.metric.name == name;
}

} // namespace

std::int64_t rowKey(const Subject& subject) {
    switch (subject.kind) {
    case SubjectKind::Gpu:
        return subject.rank;
    case SubjectKind::Node:
        return (std::int64_t{1} << 40U) + subject.node;
    default:
        break;
    }
    const std::uint64_t device = XXH3_64bits(subject.device.data(), subject.device.size());
    return static_cast<std::int64_t>(
               (device >> 2U) ^ (static_cast<std::uint64_t>(subject.node) << 20U))
        | (std::int64_t{1} << 61U);
}

Result<std::shared_ptr<EngineLink>> EngineLink::open(
    const store::Store& store, const store::RunLink& stored, const EngineAccess& access) {
    ASSIGN_OR_RETURN(auto link, linkFrom(stored.spec));
    ASSIGN_OR_RETURN(const auto gpus, store.gpus(stored.run));
    ASSIGN_OR_RETURN(const auto series, store.series(stored.run));
    Roster roster(link.nodes, gpus, link.aliases);
    auto opened = std::shared_ptr<EngineLink>(new EngineLink(std::move(link), std::move(roster)));
    opened->m_source = stored.source;
    opened->m_run = stored.run;
    // Ranks are part of tiles: another run of the same selection has others.
    const std::string identity = store.uuid() + stored.spec;
    opened->m_identity = fmt::format("{:016x}", XXH3_64bits(identity.data(), identity.size()));
    for (const Series& one : series) {
        if (one.source == stored.source)
            ++opened->m_counts[one.description.metric.name];
    }
    ASSIGN_OR_RETURN(opened->m_fetcher, openEngine(opened->m_link.address, access));
    return opened;
}

std::string EngineLink::keyOf(const LaneScope& scope) const {
    return fmt::format(
        "{} {} {} {}", m_identity, scope.metric, static_cast<int>(scope.rows), scope.uuid);
}

std::string EngineLink::uuidOf(int rank) const {
    const auto& gpus = m_roster.gpus();
    const auto at = std::find_if(
        gpus.begin(), gpus.end(), [rank](const Gpu& gpu) { return gpu.rank == rank; });
    return at == gpus.end() ? std::string() : at->uuid;
}

std::size_t EngineLink::countOf(const std::string& metric) const {
    const auto at = m_counts.find(metric);
    return at == m_counts.end() ? 0 : at->second;
}

Result<std::int64_t> EngineLink::period(const IsCancelled& isCancelled) {
    if (m_period > 0 || m_link.metrics.empty())
        return std::max(m_period.load(), std::int64_t{1});
    const std::int64_t end = std::min(m_link.range.end.ns, wallClock().ns) / text::kMillisecond;
    const std::int64_t begin = m_link.range.begin.ns / text::kMillisecond;
    std::int64_t found = 0;
    for (const std::int64_t at : {end - 1, std::midpoint(begin, end)}) {
        ASSIGN_OR_RETURN(const auto body,
            askFor(*m_fetcher, densityRequest(m_link, m_link.metrics.front().engineName, at),
                isCancelled));
        const auto read = readSamples(body, [&found](AnsweredSeries& series) -> Status {
            if (!series.values.empty() && series.values.front() >= 1.0)
                found = std::max(found,
                    static_cast<std::int64_t>(
                        static_cast<double>(kDensityMs) / series.values.front()));
            return {};
        });
        if (!read.hasValue())
            return read.error();
        if (found > 0)
            break;
    }
    m_period = found > 0 ? found : kUsualPeriodMs;
    return m_period.load();
}

std::int64_t EngineLink::rangeOf(const LaneScope& scope, std::int64_t stepMs) const {
    const std::int64_t period = std::max<std::int64_t>(1, m_period);
    const auto series = static_cast<std::int64_t>(std::max<std::size_t>(1, scope.series));
    const std::int64_t samples = series * LaneTile::kColumns * stepMs / period;
    if (samples <= kMostRead)
        return stepMs;
    return std::min(stepMs, std::max(2 * period, stepMs * kMostRead / samples));
}

struct EngineLink::Asked {
    const FoundMetric* metric = nullptr;
    std::size_t row = 0; // of a band; of series which value: low, mean, high; all three: a rate
    bool isAll = false;
    std::unique_ptr<Question> question;
};

void EngineLink::ask(const LaneScope& scope, const FoundMetric& metric, const Columns& columns,
    std::vector<Asked>& questions) {
    ReductionScope reduction;
    reduction.engineName = metric.engineName;
    reduction.isCounter = metric.metric.kind == MetricKind::Counter;
    reduction.leastRateMs = kRatePeriods * std::max<std::int64_t>(1, m_period);
    if (!scope.uuid.empty() && !metric.uuidLabel.empty())
        reduction.condition = oneOf(metric.uuidLabel, {scope.uuid});
    const auto add = [&](HttpRequest request, std::size_t row, bool isAll) {
        questions.push_back({&metric, row, isAll,
            std::make_unique<Question>(*m_fetcher, std::move(request), Patience{2})});
    };
    if (scope.rows == TileRows::Band) {
        for (std::size_t row = 0; row < kBandRows; ++row)
            add(bandRequest(m_link, reduction, row, columns), row, false);
    } else if (scope.rows == TileRows::Nodes) {
        add(nodeRequest(m_link, reduction, columns), 0, true);
    } else if (reduction.isCounter) {
        add(seriesRequest(m_link, reduction, Reduced::Mean, columns), 1, true);
    } else {
        add(seriesRequest(m_link, reduction, Reduced::Min, columns), 0, false);
        add(seriesRequest(m_link, reduction, Reduced::Mean, columns), 1, false);
        add(seriesRequest(m_link, reduction, Reduced::Max, columns), 2, false);
    }
}

Result<std::vector<std::shared_ptr<LaneTile>>> EngineLink::fetch(const LaneScope& scope,
    std::int64_t stepMs, std::int64_t first, int count, const IsCancelled& isCancelled) {
    ASSIGN_OR_RETURN([[maybe_unused]] const auto known, period(isCancelled));
    Columns columns;
    columns.beginMs = first * LaneTile::kColumns * stepMs;
    columns.stepMs = stepMs;
    columns.count = LaneTile::kColumns * count;
    columns.rangeMs = rangeOf(scope, stepMs);
    const std::int64_t askedMs = wallClock().ns / text::kMillisecond;
    std::vector<Asked> questions;
    for (const FoundMetric& metric : m_link.metrics) {
        if (measures(metric, scope.metric))
            ask(scope, metric, columns, questions);
    }
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
    for (Asked& asked : questions) {
        ASSIGN_OR_RETURN(const auto reply, asked.question->wait(isCancelled));
        m_wireBytes += reply.wireBytes;
        if (reply.trouble != Trouble::None)
            return reply.error;
        RETURN_IF_ERROR(take(asked, reply.body, scope, columns, tiles));
    }
    return tiles;
}

std::optional<std::int64_t> EngineLink::rowOf(
    const Labels& labels, const Asked& asked, TileRows rows) const {
    if (rows == TileRows::Band)
        return static_cast<std::int64_t>(asked.row);
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
    const auto meaning = meaningOf(named, m_link.mapping);
    // The same name may be of another metric of ours, by a label.
    if (!meaning || meaning->description.metric.name != asked.metric->metric.name)
        return std::nullopt;
    const auto subject = m_roster.find(meaning->whom);
    return subject ? std::optional(rowKey(*subject)) : std::nullopt;
}

Status EngineLink::take(const Asked& asked, const std::string& body, const LaneScope& scope,
    const Columns& columns, Tiles& tiles) const {
    const auto scale = static_cast<float>(asked.metric->scale);
    const auto read = readSamples(body, [&](AnsweredSeries& series) -> Status {
        const auto key = rowOf(series.labels, asked, scope.rows);
        if (!key)
            return {};
        for (std::size_t i = 0; i < series.times.size(); ++i) {
            const auto column = columnAt(columns, series.times[i].ns / text::kMillisecond);
            if (!column || std::isnan(series.values[i]))
                continue;
            LaneTile& tile = *tiles[static_cast<std::size_t>(*column / LaneTile::kColumns)];
            LaneTile::Row& row = rowIn(tile, *key);
            const auto at = static_cast<std::size_t>(*column % LaneTile::kColumns);
            const float value = static_cast<float>(series.values[i]) * scale;
            const bool isSeries = scope.rows == TileRows::Series && !asked.isAll;
            if (!isSeries || asked.row == 0)
                lower(row.low[at], value);
            // Under two sets of labels the same is measured twice: the later one counts.
            if (!isSeries || asked.row == 1)
                row.mean[at] = value;
            if (!isSeries || asked.row == 2)
                raise(row.high[at], value);
        }
        return {};
    });
    return read.hasValue() ? Status() : Status(read.error());
}

} // namespace trainscope::app
