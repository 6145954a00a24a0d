#include "app/engine/EngineLink.h"

#include "app/engine/TileColumns.h"
#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Mapping.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <numeric>

namespace trainscope::app {
namespace {

using namespace importers::engine;

// Samples that an engine may read for one tile. Beyond, columns are looked at in part.
constexpr std::int64_t kMostRead = 80'000'000;
constexpr std::int64_t kMostReadAtOnce = 200'000'000; // for MetricsQL
constexpr std::int64_t kUsualPeriodMs = 15'000;

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
    const store::Store& store, const store::RunLink& stored, const EngineAccessOf& access) {
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
    auto with = access(opened->m_link);
    if (!with.hasValue()) {
        opened->m_refusal = with.error();
        return opened;
    }
    if (with.value().tenant.empty())
        with.value().tenant = opened->m_link.tenant;
    ASSIGN_OR_RETURN(opened->m_fetcher, openEngine(opened->m_link.address, with.value()));
    return opened;
}

std::string EngineLink::keyOf(const LaneScope& scope) const {
    return fmt::format("{} {} {} {}{}", m_identity, scope.metric, static_cast<int>(scope.rows),
        scope.uuid, scope.some > 0 ? fmt::format(" of {}", scope.some) : std::string());
}

std::string EngineLink::uuidOf(int rank) const {
    const auto& gpus = m_roster.gpus();
    const auto at = std::ranges::find(gpus, rank, &Gpu::rank);
    return at == gpus.end() ? std::string() : at->uuid;
}

std::size_t EngineLink::countOf(const std::string& metric) const {
    const auto at = m_counts.find(metric);
    return at == m_counts.end() ? 0 : at->second;
}

bool EngineLink::canAskSome(const std::string& metric) const {
    return std::ranges::any_of(m_link.metrics, [&metric](const FoundMetric& found) {
        return found.metric.name == metric && !(found.uuidLabel.empty() && found.nodeLabel.empty());
    });
}

Status EngineLink::learn(const IsCancelled& isCancelled) {
    if (m_refusal)
        return *m_refusal;
    if (isKnown())
        return {};
    const std::lock_guard lock(m_learning);
    if (isKnown())
        return {};
    Question dialect(*m_fetcher, dialectRequest(), Patience{2});
    ASSIGN_OR_RETURN(const auto reply, dialect.wait(isCancelled));
    // One that is not there or lets nobody in says so to the next question too.
    m_dialect = reply.trouble == Trouble::None ? Dialect::MetricsQl : Dialect::PromQl;
    if (reply.trouble == Trouble::Lasting) {
        Question closed(*m_fetcher, closedRequest(), Patience{2});
        ASSIGN_OR_RETURN(const auto told, closed.wait(isCancelled));
        (void)readSamples(told.body, [this](const AnsweredSeries& series) -> Status {
            if (series.values == std::vector{2.0})
                m_dialect = Dialect::ClosedPromQl;
            return {};
        });
    }
    ASSIGN_OR_RETURN(const auto period,
        periodOf(m_link.metrics.empty() ? std::string() : m_link.metrics.front().metric.name,
            isCancelled));
    m_period = period;
    return {};
}

Result<std::int64_t> EngineLink::periodOf(
    const std::string& metric, const IsCancelled& isCancelled) {
    {
        const std::lock_guard lock(m_periodsMutex);
        if (const auto known = m_periods.find(metric); known != m_periods.end())
            return known->second;
    }
    const auto named = std::ranges::find_if(m_link.metrics,
        [&metric](const FoundMetric& found) { return found.metric.name == metric; });
    const std::int64_t end = std::min(m_link.range.end.ns, wallClock().ns) / text::kMillisecond;
    const std::int64_t begin = m_link.range.begin.ns / text::kMillisecond;
    std::int64_t found = 0;
    for (const std::int64_t at : {end - 1, std::midpoint(begin, end)}) {
        if (found > 0 || named == m_link.metrics.end())
            break;
        ASSIGN_OR_RETURN(const auto body,
            askFor(*m_fetcher, densityRequest(m_link, named->engineName, at), isCancelled));
        const auto read = readSamples(body, [&found](AnsweredSeries& series) -> Status {
            if (!series.values.empty() && series.values.front() >= 1.0)
                found = std::max<std::int64_t>(
                    found, std::llround(static_cast<double>(kDensityMs) / series.values.front()));
            return {};
        });
        if (!read.hasValue())
            return read.error();
    }
    const std::lock_guard lock(m_periodsMutex);
    return m_periods[metric] = found > 0 ? found : kUsualPeriodMs;
}

double EngineLink::readsFor(const LaneScope& scope, double ms) const {
    if (!isKnown())
        return 0.0;
    std::size_t series = scope.uuid.empty() ? std::max<std::size_t>(1, scope.series) : 1;
    if (scope.some > 0)
        series = std::min(series, scope.some);
    const bool isMean = scope.rows == TileRows::Nodes || scope.rows == TileRows::Mean;
    const int times = isMean ? 2 : isMetricsQl() ? 1 : 3; // statistics by themselves
    return static_cast<double>(series) * times * ms / static_cast<double>(m_period);
}

std::int64_t EngineLink::rangeOf(const LaneScope& scope, std::int64_t stepMs) const {
    const std::int64_t period = std::max<std::int64_t>(1, m_period);
    const auto samples = static_cast<std::int64_t>(
        readsFor(scope, static_cast<double>(LaneTile::kColumns * stepMs)));
    const std::int64_t most = isMetricsQl() ? kMostReadAtOnce : kMostRead;
    if (samples <= most)
        return stepMs;
    return std::min(stepMs, std::max(2 * period, stepMs / (samples / most + 1)));
}

namespace {

using namespace importers::engine;

constexpr std::int64_t kRatePeriods = 4; // a rate looks at least at so many
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

ReductionScope EngineLink::reductionOf(
    const LaneScope& scope, const FoundMetric& metric, Samples samples) const {
    ReductionScope reduction;
    reduction.engineName = metric.engineName;
    reduction.isCounter = metric.metric.kind == MetricKind::Counter;
    reduction.leastRateMs = kRatePeriods * std::max<std::int64_t>(1, m_period);
    reduction.condition = conditionOf(scope, metric);
    reduction.blanks = blanksOf(metric.engineName, {metric.metric, {}, metric.scale});
    if (samples == Samples::Readings) {
        const std::lock_guard lock(m_periodsMutex);
        const auto own = m_periods.find(scope.metric);
        reduction.leavesOutByMs = own == m_periods.end() ? m_period.load() : own->second;
        reduction.isClosed = m_dialect == Dialect::ClosedPromQl;
    }
    return reduction;
}

void EngineLink::ask(Questions& questions, const FoundMetric& metric,
    const ReductionScope& reduction, HttpRequest request, Holds holds, std::size_t row,
    std::optional<Reduced> what) {
    questions.push_back({&metric, reduction, holds, row, what,
        std::make_unique<Question>(*m_fetcher, std::move(request), kSoonTold)});
}

void EngineLink::askColumns(const LaneScope& scope, const FoundMetric& metric,
    const Columns& columns, Samples samples, Questions& questions) {
    const ReductionScope reduction = reductionOf(scope, metric, samples);
    const auto add = [&](HttpRequest request, Holds holds, std::size_t row = 0) {
        ask(questions, metric, reduction, std::move(request), holds, row);
    };
    const auto addStatistic = [&](HttpRequest request, std::optional<Reduced> what = {}) {
        ask(questions, metric, reduction, std::move(request), Holds::Statistic, 0, what);
    };
    if (scope.rows == TileRows::Band) {
        if (isMetricsQl())
            return add(bandsRequest(m_link, reduction, columns), Holds::ByLabels);
        for (const std::size_t row : {std::size_t{0}, kBandRows - 1})
            add(bandRequest(m_link, reduction, row, columns), Holds::Row, row);
        add(distributionRequest(m_link, reduction, columns), Holds::Distribution);
        questions.back().counts = std::make_shared<BandCounts>();
    } else if (scope.rows == TileRows::Nodes) {
        addStatistic(nodeRequest(m_link, reduction, columns));
    } else if (scope.rows == TileRows::Mean) {
        add(meanRequest(m_link, reduction, columns), Holds::Row);
    } else if (reduction.isCounter) {
        addStatistic(seriesRequest(m_link, reduction, Reduced::Mean, columns));
    } else if (isMetricsQl()) {
        add(rollupRequest(m_link, reduction, columns), Holds::ByLabels);
    } else {
        for (const Reduced what : {Reduced::Min, Reduced::Mean, Reduced::Max})
            addStatistic(seriesRequest(m_link, reduction, what, columns), what);
    }
    // Means of many samples hide a single one that is no reading.
    const bool isMean = scope.rows == TileRows::Nodes || scope.rows == TileRows::Mean;
    if (isMean && samples == Samples::All)
        add(bandRequest(m_link, reduction, kBandRows - 1, columns), Holds::Highest);
}

Result<EngineLink::Tiles> EngineLink::fetch(const LaneScope& scope, std::int64_t stepMs,
    std::int64_t first, int count, const IsCancelled& isCancelled) {
    RETURN_IF_ERROR(learn(isCancelled));
    return fetch(scope, stepMs, first, count, Samples::All, isCancelled);
}

Result<EngineLink::Tiles> EngineLink::fetch(const LaneScope& scope, std::int64_t stepMs,
    std::int64_t first, int count, Samples samples, const IsCancelled& isCancelled) {
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
            askColumns(scope, metric, columns, samples, questions);
    }
    TileFilling filling(tiles, columns);
    Trouble trouble = Trouble::None;
    const Status taken = takeAll(questions, scope, filling, trouble, isCancelled);
    if (trouble == Trouble::TooMuch && count > 1)
        return fetchHalves(scope, stepMs, first, count, samples, isCancelled);
    if (!taken.hasValue())
        return taken.error();
    if (samples == Samples::All && filling.hasBlanks())
        return fetch(scope, stepMs, first, count, Samples::Readings, isCancelled);
    for (const Asked& asked : questions) {
        if (asked.counts && !asked.counts->isKnown())
            RETURN_IF_ERROR(takeQuantiles(scope, asked, columns, filling, trouble, isCancelled));
    }
    const bool isOfSubjects = scope.rows == TileRows::Series || scope.rows == TileRows::Nodes;
    const auto contested = isOfSubjects ? filling.contested() : std::set<std::string>();
    questions.clear();
    for (const FoundMetric& metric : m_link.metrics) {
        if (metric.metric.name != scope.metric || !contested.contains(metric.engineName))
            continue;
        const auto reduction = reductionOf(scope, metric, samples);
        ask(questions, metric, reduction,
            countRequest(m_link, reduction, scope.rows == TileRows::Nodes, columns), Holds::Counts);
    }
    RETURN_IF_ERROR(takeAll(questions, scope, filling, trouble, isCancelled));
    filling.finish();
    return tiles;
}

Status EngineLink::takeQuantiles(const LaneScope& scope, const Asked& of, const Columns& columns,
    TileFilling& filling, Trouble& trouble, const IsCancelled& isCancelled) {
    Questions questions;
    for (std::size_t row = 1; row + 1 < kBandRows; ++row)
        ask(questions, *of.metric, of.reduction, bandRequest(m_link, of.reduction, row, columns),
            Holds::Row, row);
    return takeAll(questions, scope, filling, trouble, isCancelled);
}

Result<EngineLink::Tiles> EngineLink::fetchHalves(const LaneScope& scope, std::int64_t stepMs,
    std::int64_t first, int count, Samples samples, const IsCancelled& isCancelled) {
    ASSIGN_OR_RETURN(auto tiles, fetch(scope, stepMs, first, count / 2, samples, isCancelled));
    ASSIGN_OR_RETURN(auto later,
        fetch(scope, stepMs, first + count / 2, count - count / 2, samples, isCancelled));
    std::move(later.begin(), later.end(), std::back_inserter(tiles));
    return tiles;
}

Status EngineLink::takeAll(Questions& questions, const LaneScope& scope, TileFilling& filling,
    Trouble& trouble, const IsCancelled& isCancelled) {
    for (Asked& asked : questions) {
        ASSIGN_OR_RETURN(const auto reply, asked.question->wait(isCancelled));
        trouble = reply.trouble;
        if (reply.trouble != Trouble::None)
            return reply.error;
        RETURN_IF_ERROR(take(asked, reply.body, scope, filling));
        for (std::size_t row = 1; asked.counts && asked.counts->isKnown() && row + 1 < kBandRows;
             ++row)
            filling.add(static_cast<std::int64_t>(row), asked.metric->engineName,
                asked.counts->quantile(kBandQuantiles.at(row - 1)), asked.metric->scale,
                Reduced::Mean);
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
    const auto read = readSamples(body, [&](AnsweredSeries& series) -> Status {
        if (asked.counts) {
            asked.counts->add(distributedOf(series.labels), series);
            return {};
        }
        if (asked.holds != Holds::Counts)
            filling.lookForBlanks(asked.reduction, series);
        if (asked.holds == Holds::Highest)
            return {};
        if (scope.rows == TileRows::Band || scope.rows == TileRows::Mean) {
            const auto row
                = asked.holds == Holds::Row ? std::optional(asked.row) : bandRowOf(series.labels);
            if (row)
                filling.add(static_cast<std::int64_t>(*row), name, series, scale);
            return {};
        }
        const auto reduced = takeReduced(series.labels);
        const auto key = rowOf(series.labels, asked, scope.rows);
        if (!key)
            return {};
        if (asked.holds == Holds::Counts)
            filling.addCount(*key, name, series);
        else if (asked.holds == Holds::Statistic || reduced)
            filling.add(*key, name, series, scale, asked.what ? asked.what : reduced);
        return {};
    });
    return read.hasValue() ? Status() : Status(read.error());
}

namespace {

using namespace importers::engine;

constexpr std::int64_t kShortestPart = text::kMinute; // a stretch is cut no shorter
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

} // namespace

// Figures by sets of labels, of which the same subject may have several, and by parts of the
// stretch.
class StretchReading {
public:
    void add(const Subject& subject, TimeRange part, const std::string& labels, Reduced what,
        double value, const FoundMetric& metric) {
        const auto [at, isNew] = m_parts.try_emplace({part.begin, labels});
        if (isNew)
            at->second.subject = subject;
        if (metric.metric.kind == MetricKind::Counter)
            at->second.total = value * metric.scale;
        else
            put(at->second, what, value, metric.scale);
    }

    void drop(TimeRange part, const std::set<std::string>& labels) {
        for (const std::string& one : labels)
            m_parts.erase({part.begin, one});
    }

    // Each sample covers `period` seconds; what is scraped twice covers nothing twice.
    [[nodiscard]] std::vector<SeriesFigure> figures(
        const std::string& metric, double period, double stretch) const {
        std::map<std::int64_t, SeriesFigure> joined;
        for (const auto& [key, part] : m_parts) {
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
    std::map<std::pair<TimeNs, std::string>, SeriesFigure> m_parts;
};

std::vector<std::string> EngineLink::metrics() const {
    std::vector<std::string> names;
    // Metrics that users look for first come first.
    for (const char* first : {metric::kGpuPower, metric::kGpuTemperature}) {
        if (countOf(first) > 0)
            names.emplace_back(first);
    }
    for (const auto& found : m_link.metrics) {
        if (std::ranges::find(names, found.metric.name) == names.end())
            names.push_back(found.metric.name);
    }
    return names;
}

EngineLink::Questions EngineLink::askStretch(
    const std::string& metric, TimeRange stretch, Samples samples) {
    Questions questions;
    for (const FoundMetric& found : m_link.metrics) {
        if (found.metric.name != metric || stretch.isEmpty())
            continue;
        const auto scope = reductionOf({metric, TileRows::Series, 0, {}, 0}, found, samples);
        const auto add = [&](HttpRequest request, Reduced what) {
            ask(questions, found, scope, std::move(request), Holds::ByLabels, 0, what);
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

Status EngineLink::readStretch(const std::string& metric, TimeRange stretch, Samples samples,
    const std::set<std::string>& wanted, StretchReading& reading, const IsCancelled& isCancelled) {
    std::set<std::string> blank; // series that show a number that is no reading
    StretchReading read = reading;
    for (Asked& asked : askStretch(metric, stretch, samples)) {
        ASSIGN_OR_RETURN(const auto reply, asked.question->wait(isCancelled));
        const TimeNs middle{std::midpoint(stretch.begin.ns, stretch.end.ns)};
        if (reply.trouble == Trouble::TooMuch && stretch.length().ns > kShortestPart) {
            RETURN_IF_ERROR(readStretch(
                metric, {stretch.begin, middle}, samples, wanted, reading, isCancelled));
            return readStretch(
                metric, {middle, stretch.end}, samples, wanted, reading, isCancelled);
        }
        if (reply.trouble != Trouble::None)
            return reply.error;
        const auto facts = readSamples(reply.body, [&](AnsweredSeries& series) -> Status {
            const auto told = takeReduced(series.labels);
            series.labels.name = asked.metric->engineName;
            const auto subject = subjectOf(series.labels, *asked.metric);
            if (!subject || series.values.empty() || std::isnan(series.values.front()))
                return {};
            const Reduced what = told.value_or(*asked.what);
            const std::string labels = series.labels.text();
            if (!wanted.empty() && !wanted.contains(labels))
                return {};
            if ((asked.reduction.isCounter || what != Reduced::Count)
                && showsBlank(asked.reduction, series.values.front(), 1.0))
                blank.insert(labels);
            read.add(*subject, stretch, labels, what, series.values.front(), *asked.metric);
            return {};
        });
        if (!facts.hasValue())
            return facts.error();
    }
    reading = std::move(read);
    if (blank.empty() || samples == Samples::Readings)
        return {};
    // A subquery would count the reading before a gap of the other series once more.
    reading.drop(stretch, blank);
    return readStretch(metric, stretch, Samples::Readings, blank, reading, isCancelled);
}

Result<std::vector<SeriesFigure>> EngineLink::figures(
    const std::string& metric, TimeRange stretch, const IsCancelled& isCancelled) {
    RETURN_IF_ERROR(learn(isCancelled));
    ASSIGN_OR_RETURN(const auto period, periodOf(metric, isCancelled));
    StretchReading reading;
    RETURN_IF_ERROR(readStretch(metric, stretch, Samples::All, {}, reading, isCancelled));
    return reading.figures(metric, static_cast<double>(period) * 1e-3, stretch.length().seconds());
}

} // namespace trainscope::app
