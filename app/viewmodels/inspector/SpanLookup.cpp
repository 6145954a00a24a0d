#include "app/viewmodels/inspector/SpanLookup.h"

#include "app/viewmodels/inspector/SpanDetailFacts.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/TextOf.h"
#include "core/analysis/traces/CollectivePeers.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/AutogradLink.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TraceClock.h"
#include "core/text/Numbers.h"

#include <QStringList>

#include <algorithm>
#include <limits>
#include <utility>

namespace trainscope::app {
namespace {

using store::Store;
using FoundSpan = std::optional<Span>;

Result<FoundSpan> spanHere(const Store& store, const SpanTarget& target) {
    auto exact = store.spanAt(target.track, target.time, target.depth);
    if (!exact.hasValue() || exact.value())
        return exact;
    FoundSpan longest;
    const TimeRange near{target.time - target.reach, target.time + target.reach + DurationNs{1}};
    RETURN_IF_ERROR(store.forEachSpan(target.track, near, [&](std::span<const Span> block) {
        for (const auto& span : block) {
            const bool better = !longest || span.duration > longest->duration;
            if (span.depth == target.depth && better)
                longest = span;
        }
        return true;
    }));
    return longest;
}

Result<FoundSpan> spanAfter(const Store& store, const SpanTarget& target) {
    FoundSpan next;
    const TimeRange rest{target.time, kAllTime.end};
    RETURN_IF_ERROR(store.forEachSpan(target.track, rest, [&](std::span<const Span> block) {
        const auto found = std::find_if(block.begin(), block.end(), [&](const Span& span) {
            return span.depth == target.depth && span.start >= target.time;
        });
        if (found != block.end())
            next = *found;
        return !next.has_value();
    }));
    return next;
}

// Looks back in growing steps, so that a long track is not read from its beginning.
Result<FoundSpan> spanBefore(const Store& store, const SpanTarget& target, TimeNs trackBegin,
    const std::function<bool()>& isCancelled) {
    for (DurationNs back{100'000};; back.ns *= 16) {
        if (isCancelled())
            return cancelled();
        const bool last = target.time - trackBegin <= back;
        const TimeRange window{last ? trackBegin : target.time - back, target.time};
        FoundSpan previous;
        RETURN_IF_ERROR(store.forEachSpan(target.track, window, [&](std::span<const Span> block) {
            for (const auto& span : block) {
                if (span.depth == target.depth && span.start < target.time)
                    previous = span;
            }
            return true;
        }));
        if (previous || last)
            return previous;
    }
}

Result<FoundSpan> find(const Store& store, const SpanTarget& target, TimeNs trackBegin,
    const std::function<bool()>& isCancelled) {
    switch (target.step) {
    case SpanTarget::Step::Here:
        return spanHere(store, target);
    case SpanTarget::Step::Next:
        return spanAfter(store, target);
    case SpanTarget::Step::Previous:
        return spanBefore(store, target, trackBegin, isCancelled);
    }
    return FoundSpan{};
}

std::string nameText(const Store& store, NameId id) {
    return id.isValid() ? store.name(id).valueOr({}) : std::string();
}

// Adds the launch of the span, or the work that it launched: all kernels of a graph have the number
// of its launch.
Status addLaunch(const Store& store, const RunFacts& facts, SpanReport& report) {
    constexpr std::size_t kMostTold = 12;
    if (launchOf(report.span) == 0)
        return {};
    ASSIGN_OR_RETURN(
        auto found, store.correlated(facts.run.id, report.rank, report.span.correlation));
    const bool isLaunch = report.span.kind == SpanKind::Runtime;
    std::erase_if(found, [isLaunch](const store::FoundSpan& other) {
        return (other.span.kind == SpanKind::Runtime) == isLaunch;
    });
    for (std::size_t i = 0; i < std::min(kMostTold, found.size()); ++i) {
        const Span& other = found[i].span;
        report.facts.push_back(
            {isLaunch ? QStringLiteral("Launches") : QStringLiteral("Launched by"),
                QString::fromStdString(nameText(store, other.name))});
        const DurationNs delay
            = isLaunch ? other.start - report.span.start : report.span.start - other.start;
        report.facts.push_back({QStringLiteral("Launch to start"), durationText(delay)});
    }
    if (found.size() > kMostTold)
        report.facts.push_back({QStringLiteral("Launches"),
            QStringLiteral("%1 more").arg(
                wholeText(static_cast<std::int64_t>(found.size() - kMostTold)))});
    return {};
}

// The other ranks' parts of a collective, the one that came last first.
Status addPeers(const Store& store, const Run& run, const plot::ShownRun& shown,
    const std::function<bool()>& isCancelled, SpanReport& report) {
    ASSIGN_OR_RETURN(const auto found,
        analysis::collectivePeers(
            {store, run, [&isCancelled](const ProgressState&) { return !isCancelled(); }},
            report.rank, report.span, shown.clocks.get()));
    if (!found)
        return {};
    const analysis::CollectivePeers& all = *found;
    report.facts.push_back({QStringLiteral("Peers"), {}, true});
    if (all.ranks.size() > 1) {
        report.facts.push_back(
            {QStringLiteral("Came last"), QStringLiteral("rank %1").arg(all.lastRank)});
        report.facts.push_back({QStringLiteral("Starts apart"), durationText(all.startSpread)});
    }
    const TimeNs start = plot::shownTime(shown, report.rank, report.span.start);
    for (const analysis::CollectiveRank& peer : all.ranks) {
        const DurationNs later = peer.start - start;
        const QString offset = peer.rank == report.rank
            ? QStringLiteral("this one")
            : (later.ns < 0 ? QString() : QStringLiteral("+")) + durationText(later);
        report.facts.push_back({QStringLiteral("rank %1").arg(peer.rank),
            QStringLiteral("%1, %2").arg(offset, durationText(peer.end - peer.start))});
    }
    if (!all.missingRanks.empty())
        report.facts.push_back({QStringLiteral("Not traced"),
            QString::fromStdString(
                text::numberList({all.missingRanks.begin(), all.missingRanks.end()}))});
    return {};
}

std::vector<Fact> basicFacts(const SpanReport& report, const RunFacts& run, const Track& track,
    const std::string& detail, const plot::TimeContext& context, TimeNs begin) {
    const auto& categories = analysis::KernelCategories::builtIn();
    const bool isKernel = report.span.kind == SpanKind::Kernel;
    const auto kind = isKernel ? analysis::KernelCategories::label(
                          categories.categoryOf(report.name, collectiveName(detail)))
                               : toString(report.span.kind);
    const QString start
        = QString::fromStdString(plot::timeText(begin - context.origin, DurationNs{1}, context));
    return {{QStringLiteral("Name"), QString::fromStdString(report.name)},
        {isKernel ? QStringLiteral("Category") : QStringLiteral("Kind"), app::textOf(kind)},
        {QStringLiteral("Start"), start},
        {QStringLiteral("Duration"), exactDurationText(report.span.duration)},
        {QStringLiteral("Run"), QString::fromStdString(run.run.name)},
        {QStringLiteral("Rank"), report.rank < 0 ? noDataText() : QString::number(report.rank)},
        {QStringLiteral("Track"), QString::fromStdString(track.description.name)}};
}

} // namespace

Result<std::optional<SpanReport>> lookUpSpan(const Store& store, const TimelineCatalogue& catalogue,
    const SpanTarget& target, const plot::TimeContext& context,
    const std::function<bool()>& isCancelled) {
    if (target.run >= catalogue.runs.size())
        return std::optional<SpanReport>{};
    const RunFacts run = catalogue.facts(target.run);
    const auto track = std::find_if(run.tracks.begin(), run.tracks.end(),
        [&target](const Track& t) { return t.id == target.track; });
    if (track == run.tracks.end())
        return std::optional<SpanReport>{};
    ASSIGN_OR_RETURN(auto found, find(store, target, track->range.begin, isCancelled));
    if (!found)
        return std::optional<SpanReport>{};
    SpanReport report;
    report.run = target.run;
    report.track = target.track;
    report.rank = track->description.rank;
    report.span = *found;
    report.name = nameText(store, report.span.name);
    const std::string detail = nameText(store, report.span.detail);
    plot::ShownRun shown;
    shown.clocks = target.clocks;
    report.facts = basicFacts(report, run, *track, detail, context,
        plot::shownTime(shown, report.rank, report.span.start));
    auto more = detailFacts(detail);
    report.facts.insert(report.facts.end(), more.begin(), more.end());
    RETURN_IF_ERROR(addLaunch(store, run, report));
    RETURN_IF_ERROR(addPeers(store, run.run, shown, isCancelled, report));
    return std::optional<SpanReport>(std::move(report));
}

} // namespace trainscope::app
