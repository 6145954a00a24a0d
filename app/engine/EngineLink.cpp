#include "app/engine/EngineLink.h"

#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trainscope::app {

namespace {

using namespace importers::engine;

// Samples that an engine may read for one tile. Beyond, columns are looked at in part.
constexpr std::int64_t kMostRead = 80'000'000;
constexpr std::int64_t kMostReadAtOnce = 200'000'000; // of MetricsQL
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
    EngineAccess with = access;
    if (with.tenant.empty())
        with.tenant = opened->m_link.tenant;
    ASSIGN_OR_RETURN(opened->m_fetcher, openEngine(opened->m_link.address, with));
    return opened;
}

std::string EngineLink::keyOf(const LaneScope& scope) const {
    return fmt::format("{} {} {} {}{}", m_identity, scope.metric, static_cast<int>(scope.rows),
        scope.uuid, scope.some > 0 ? fmt::format(" of {}", scope.some) : std::string());
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

bool EngineLink::canAskSome(const std::string& metric) const {
    return std::any_of(
        m_link.metrics.begin(), m_link.metrics.end(), [&metric](const FoundMetric& found) {
            return found.metric.name == metric
                && !(found.uuidLabel.empty() && found.nodeLabel.empty());
        });
}

Status EngineLink::learn(const IsCancelled& isCancelled) {
    if (isKnown())
        return {};
    const std::lock_guard lock(m_learning);
    if (isKnown())
        return {};
    Question dialect(*m_fetcher, dialectRequest(), Patience{2});
    ASSIGN_OR_RETURN(const auto reply, dialect.wait(isCancelled));
    // One that is not there or lets nobody in says so to the next question too.
    m_dialect = reply.trouble == Trouble::None ? Dialect::MetricsQl : Dialect::PromQl;
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
    const auto named = std::find_if(m_link.metrics.begin(), m_link.metrics.end(),
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
    constexpr int statistics = 3;
    int times = 1;
    if (!isMetricsQl() && (scope.rows == TileRows::Band || scope.rows == TileRows::Series))
        times = statistics;
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

} // namespace trainscope::app
