// The part of TimelineController that shows what other views point at, and what was found in a run.
#include "app/viewmodels/lanes/LaneIdentity.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "core/model/Metric.h"

#include <algorithm>
#include <map>

namespace trainscope::app {
namespace {

QString causeText(std::string_view cause) {
    if (cause == "thermal")
        return TimelineController::tr("by heat");
    if (cause == "power")
        return TimelineController::tr("by its power limit");
    return TimelineController::tr("for another reason");
}

QString secondsText(double seconds) {
    return durationText(DurationNs{static_cast<std::int64_t>(seconds * 1e9)});
}

} // namespace

void TimelineController::setViews(Views* views) {
    if (views == m_views)
        return;
    if (m_views)
        m_views->disconnect(this);
    m_views = views;
    if (views != nullptr) {
        connect(views, &Views::timelineWanted, this, &TimelineController::reveal);
        connect(views, &Views::selected, this, &TimelineController::selectEvidence);
        connect(views, &Views::cursorMoved, this, &TimelineController::takeCursor);
    }
    Q_EMIT workspaceChanged();
}

void TimelineController::setOverlays(bool shown) {
    if (shown == overlays())
        return;
    m_overlays.setShown(shown);
    saveView();
}

// The GPU alone, where its run is shown: the cursor's readouts and the inspector follow.
void TimelineController::selectEvidence(const Evidence& evidence) {
    const bool isShown = std::any_of(m_runs.begin(), m_runs.end(),
        [&](const plot::ShownRun& run) { return run.id == evidence.run; });
    if (!isShown || !evidence.rank || !isReady())
        return;
    placeCursor(m_cursor.value_or(m_window.window().begin), *evidence.rank);
}

void TimelineController::reveal(const Evidence& evidence) {
    if (!m_workspace)
        return;
    m_evidence = evidence;
    const auto& shown = m_workspace->shownRuns();
    const bool isShown = std::any_of(shown.begin(), shown.end(),
        [&](const plot::ShownRun& run) { return run.id == evidence.run; });
    if (!isShown)
        m_workspace->setShown({evidence.run});
    else if (!m_opening)
        showEvidence();
}

void TimelineController::showEvidence() {
    if (!m_evidence || !isReady())
        return;
    const auto run = std::find_if(m_runs.begin(), m_runs.end(),
        [this](const plot::ShownRun& shown) { return shown.id == m_evidence->run; });
    if (run == m_runs.end())
        return;
    const Evidence evidence = *m_evidence;
    m_evidence.reset();
    TimeWindow target = m_window;
    DurationNs begin = m_cursor.value_or(target.window().begin);
    if (evidence.range && !evidence.range->isEmpty()) {
        const plot::ViewWindow stretch{
            evidence.range->begin - run->origin, evidence.range->end - run->origin};
        m_selection = stretch;
        begin = stretch.begin;
        target.frame(stretch);
        scheduleStatistics();
    } else if (evidence.range == std::nullopt) {
        target.showAll();
    }
    setWindow(target.window());
    showLaneOf(evidence);
    moveCursor(begin, evidence.rank.value_or(m_focusRank));
    Q_EMIT selectionChanged();
}

void TimelineController::showLaneOf(const Evidence& evidence) {
    const auto matches = [&evidence](const plot::LaneSpec& lane) {
        const bool kernels = evidence.metric.empty() && lane.style == plot::LaneStyle::Kernels;
        const bool metric = !evidence.metric.empty() && lane.metric == evidence.metric;
        const bool rank = !lane.rank || !evidence.rank || *lane.rank == *evidence.rank;
        return (kernels || metric) && rank;
    };
    const auto& lanes = m_arrangement.lanes;
    const auto lane = std::find_if(lanes.begin(), lanes.end(), matches);
    if (lane != lanes.end())
        return setCurrentLane(static_cast<int>(lane - lanes.begin()));
    const auto& choices = m_catalogue->choices;
    const auto choice = std::find_if(choices.begin(), choices.end(),
        [&matches](const plot::LaneChoice& other) { return matches(other.lane); });
    if (choice == choices.end())
        return;
    addLane(static_cast<int>(choice - choices.begin()));
    setCurrentLane(static_cast<int>(m_arrangement.lanes.size()) - 1);
}

// Under the label of a clock lane.
QString TimelineController::throttleText(const TimelineHit& hit) const {
    const auto* overlays = m_overlays.shown();
    const auto& lane = m_drawn->lanes[static_cast<std::size_t>(hit.lane)];
    if (overlays == nullptr || hit.run >= overlays->size() || lane.spec.metric != metric::kSmClock
        || hit.rank < 0)
        return {};
    const auto marks
        = plot::throttlesAt((*overlays)[hit.run], m_runs[hit.run].origin + hit.time, hit.rank);
    if (marks.empty())
        return {};
    const auto& mark = marks.front();
    return QLatin1Char('\n')
        + tr("throttled %1 for %2, %3 lost")
              .arg(causeText(mark.cause), durationText(mark.range.length()),
                  secondsText(mark.lostSeconds));
}

// Over the strips of the head.
QString TimelineController::stripText(DurationNs time, double y) const {
    const auto* overlays = m_overlays.shown();
    if (overlays == nullptr || !m_geometry)
        return {};
    for (const auto& strip : m_geometry->throttles) {
        const double reach = strip.rect.height / 2.0;
        if (y < strip.rect.y - reach || y > strip.rect.bottom() + reach
            || strip.run >= overlays->size())
            continue;
        const auto& overlay = (*overlays)[strip.run];
        const auto marks
            = plot::throttlesAt(overlay, m_runs[strip.run].origin + time, std::nullopt);
        std::map<std::string_view, int> causes;
        double lost = 0.0;
        for (const auto& mark : marks) {
            ++causes[mark.cause];
            lost += mark.lostSeconds;
        }
        QStringList lines{tr("%1 of %2 GPUs throttled").arg(marks.size()).arg(overlay.gpus)};
        for (const auto& [cause, count] : causes)
            lines.append(tr("%1 %2").arg(count).arg(causeText(cause)));
        if (!marks.empty())
            lines.append(tr("%1 lost in these episodes").arg(secondsText(lost)));
        return lines.join(QLatin1Char('\n'));
    }
    return {};
}

} // namespace trainscope::app
