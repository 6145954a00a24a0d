#include "app/viewmodels/timeline/TimelineHover.h"

#include "app/viewmodels/text/HumanText.h"
#include "core/model/WholeNumber.h"
#include "core/plot/timeline/TraceClock.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace trainscope::app {
namespace {

using Overlays = std::vector<plot::RunOverlay>;

QString causeText(std::string_view cause) {
    if (cause == "thermal")
        return QStringLiteral("by heat");
    if (cause == "power")
        return QStringLiteral("by its power limit");
    return QStringLiteral("for another reason");
}

QString lostText(double seconds) {
    return durationText(DurationNs{nearestWhole<std::int64_t>(seconds * 1e9)});
}

QString titleOf(const plot::TimelineData& data, NameId name) {
    const auto found = data.names.find(name);
    return found == data.names.end() ? QString() : QString::fromStdString(found->second.text);
}

QString basisText(const plot::RunOverlay& overlay) {
    return overlay.isFromClocks ? QStringLiteral(", as clocks tell") : QString();
}

// Under the label of a clock lane.
QString throttleText(
    const TimelineContext& context, const Overlays* overlays, const TimelineHit& hit) {
    const auto& lane = context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    if (overlays == nullptr || hit.run >= overlays->size() || lane.spec.metric != "sm_clock"
        || hit.rank < 0)
        return {};
    const auto marks = plot::throttlesAt(
        (*overlays)[hit.run], context.runs[hit.run].origin + hit.time, hit.rank);
    if (marks.empty())
        return {};
    const auto& mark = marks.front();
    return QLatin1Char('\n')
        + QStringLiteral("throttled %1 for %2%3; %4 of clock lost")
              .arg(causeText(mark.cause), durationText(mark.range.length()),
                  basisText((*overlays)[hit.run]), lostText(mark.lostSeconds));
}

// Under the label of a power lane.
QString aboveLimitText(
    const TimelineContext& context, const Overlays* overlays, const TimelineHit& hit) {
    const auto& lane = context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    if (overlays == nullptr || hit.run >= overlays->size() || lane.limits.empty())
        return {};
    const TimeNs time = context.runs[hit.run].origin + hit.time;
    const auto& stays = (*overlays)[hit.run].aboveLimit;
    const auto next = std::ranges::upper_bound(stays, time, {}, &TimeRange::begin);
    if (next == stays.begin() || std::prev(next)->end <= time)
        return {};
    return QLatin1Char('\n')
        + QStringLiteral("above the power limit for %1")
              .arg(durationText(std::prev(next)->length()));
}

QString throttledText(const plot::RunOverlay& overlay, TimeNs time) {
    const auto marks = plot::throttlesAt(overlay, time, std::nullopt);
    std::map<std::string_view, int> causes;
    double lost = 0.0;
    for (const auto& mark : marks) {
        ++causes[mark.cause];
        lost += mark.lostSeconds;
    }
    QStringList lines{overlay.gpus > 1
            ? QStringLiteral("%1 of %2 GPUs throttled").arg(marks.size()).arg(overlay.gpus)
            : marks.empty() ? QStringLiteral("The GPU is not throttled")
                            : QStringLiteral("The GPU is throttled")};
    lines.front() += basisText(overlay);
    for (const auto& [cause, count] : causes)
        lines.append(overlay.gpus > 1 ? QStringLiteral("%1 %2").arg(count).arg(causeText(cause))
                                      : causeText(cause));
    if (!marks.empty())
        lines.append(QStringLiteral("%1 of clock lost in these episodes").arg(lostText(lost)));
    return lines.join(QLatin1Char('\n'));
}

// Over the strips of the head.
QString stripText(
    const TimelineContext& context, const Overlays* overlays, DurationNs time, double y) {
    if (overlays == nullptr || !context.geometry)
        return {};
    for (const auto& strip : context.geometry->throttles) {
        const double reach = strip.rect.height / 2.0;
        const bool isOver = y >= strip.rect.y - reach && y <= strip.rect.bottom() + reach;
        if (isOver && strip.run < std::min(overlays->size(), context.runs.size()))
            return throttledText((*overlays)[strip.run], context.runs[strip.run].origin + time);
    }
    return {};
}

bool isBetweenCaptures(const TimelineContext& context, const TimelineHit& hit, TimeNs own) {
    return context.catalogue && hit.run < context.catalogue->runs.size()
        && context.catalogue->facts(hit.run).isBetweenCaptures(hit.rank, own);
}

QString stretchText(const StretchHit& stretch) {
    const QString text = QStringLiteral("%1, %2 long\nClick selects it, Shift+click all up to it, "
                                        "a double click zooms to it.")
                             .arg(stretchName(stretch), durationText(stretch.stretch.length()));
    return stretch.kind == plot::StretchKind::Capture
        ? text + QStringLiteral(" The right button compares it with others.")
        : text;
}

} // namespace

QString stretchName(const StretchHit& stretch, bool isPlural) {
    const QString name = QString::fromStdString(stretch.name);
    switch (stretch.kind) {
    case plot::StretchKind::Phase:
        return (isPlural ? QStringLiteral("Phases %1") : QStringLiteral("Phase %1")).arg(name);
    case plot::StretchKind::Capture:
        return (isPlural ? QStringLiteral("Captures %1") : QStringLiteral("Capture %1")).arg(name);
    case plot::StretchKind::Iteration:
        break;
    }
    return (isPlural ? QStringLiteral("Iterations %1") : QStringLiteral("Iteration %1")).arg(name);
}

QPointF tipPlace(const QSizeF& tip, const QPointF& pointer, const QRectF& about,
    const QRectF& selected, const QRectF& view) {
    constexpr double kBeside = 12.0; // px from the pointer
    constexpr double kApart = 6.0; // px from the bars
    const auto within = [](double at, double length, double begin, double end) {
        return std::max(begin, std::min(at, end - length));
    };
    const double right = pointer.x() + kBeside;
    const double x
        = within(right + tip.width() <= view.right() ? right : pointer.x() - kBeside - tip.width(),
            tip.width(), view.left(), view.right());
    std::vector<double> tops{about.bottom() + kApart, about.top() - kApart - tip.height()};
    if (!selected.isEmpty()) {
        tops.push_back(selected.bottom() + kApart);
        tops.push_back(selected.top() - kApart - tip.height());
    }
    for (const double top : tops) {
        const QRectF place({x, top}, tip);
        const bool isSeen = top >= view.top() && place.bottom() <= view.bottom();
        if (isSeen && !place.intersects(about) && !place.intersects(selected))
            return place.topLeft();
    }
    // A view too low for it: beside both, as far as there is room.
    const QRectF both = about.united(selected);
    const double left = both.left() - kApart - tip.width();
    return {left >= view.left() ? left : both.right() + kApart,
        within(about.top(), tip.height(), view.top(), view.bottom())};
}

QString hoverText(const TimelineContext& context, const std::vector<plot::RunOverlay>* overlays,
    const TimelineHit& hit, const QString& readout, double y) {
    if (hit.stretch)
        return stretchText(*hit.stretch);
    if (y < context.lanesTop)
        return stripText(context, overlays, hit.time, y);
    // Other runs may be shown than those that are drawn yet.
    if (hit.item < 0 || !context.drawn || hit.run >= context.runs.size())
        return {};
    const auto& lane = context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    const auto item = static_cast<std::size_t>(hit.item);
    if (lane.spans.empty()) {
        QString label = QString::fromStdString(lane.series[item].label);
        if (context.runs.size() > 1)
            label = QStringLiteral("%1 · %2").arg(
                QString::fromStdString(context.runs[hit.run].name), label);
        if (!readout.isEmpty())
            label = QStringLiteral("%1: %2").arg(label, readout);
        return label + throttleText(context, overlays, hit)
            + aboveLimitText(context, overlays, hit);
    }
    const QString track = QString::fromStdString(lane.spans[item].label);
    if (!hit.group) {
        const auto& run = context.drawn->runs[hit.run];
        const TimeNs own = plot::ownTime(run, hit.rank, run.origin + hit.time);
        return (isBetweenCaptures(context, hit, own) ? QStringLiteral("%1: not traced here")
                                                     : QStringLiteral("%1: nothing recorded here"))
            .arg(track);
    }
    const QString name = titleOf(*context.drawn, hit.group->name);
    if (hit.group->count > 1)
        return QStringLiteral("%1 spans, longest: %2\n%3")
            .arg(wholeText(hit.group->count), name.left(80), track);
    // Times are on the rank's own clock, as in the inspector.
    const TimeRange own = plot::ownRange(context.drawn->runs[hit.run], hit.rank, hit.group->range);
    return QStringLiteral("%1\n%2 · %3")
        .arg(name.left(120), exactDurationText(own.length()), track);
}

} // namespace trainscope::app
