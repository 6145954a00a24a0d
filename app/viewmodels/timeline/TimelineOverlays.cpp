#include "app/viewmodels/timeline/TimelineOverlays.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"

namespace trainscope::app {

TimelineOverlays::TimelineOverlays(QObject* parent)
    : QObject(parent)
    , m_shown(std::make_shared<const std::vector<plot::RunOverlay>>()) { }

void TimelineOverlays::forget() {
    m_task.cancel();
    m_known.clear();
    m_runs.clear();
    gather();
}

void TimelineOverlays::setRuns(ReaderPool& readers, const std::vector<Run>& runs) {
    m_readers = &readers;
    m_runs = runs;
    gather();
    read();
}

void TimelineOverlays::setShown(bool shown) {
    if (shown == m_isShown)
        return;
    restore(shown);
    Q_EMIT edited();
}

void TimelineOverlays::restore(bool shown) {
    if (shown == m_isShown)
        return;
    m_isShown = shown;
    read();
    Q_EMIT changed();
}

// A path is a part of the overlays.
void TimelineOverlays::setPathsShown(bool shown) {
    m_arePathsShown = shown;
    if (shown)
        setShown(true);
    gather();
    read();
}

QString TimelineOverlays::pathText() const {
    if (!m_arePathsShown || !m_isShown)
        return {};
    if (m_task.isRunning())
        return QStringLiteral("Reading the critical path…");
    for (const Run& run : m_runs) {
        const auto known = m_known.find(run.id);
        if (known != m_known.end() && known->second.path && !known->second.path->hasValue())
            return shownText(known->second.path->error());
    }
    return {};
}

bool TimelineOverlays::isKnown(const Run& run) const {
    const auto known = m_known.find(run.id);
    return known != m_known.end() && known->second.overlay
        && (known->second.path || !m_arePathsShown);
}

Result<TimelineOverlays::Found> TimelineOverlays::readOne(
    const analysis::RunStudy& study, Found found, bool withPath) {
    if (!found.overlay) {
        ASSIGN_OR_RETURN(auto overlay, figures::loadOverlay(study));
        found.overlay = std::make_shared<const plot::RunOverlay>(std::move(overlay));
    }
    if (withPath && !found.path)
        found.path = figures::loadPath(study);
    return found;
}

void TimelineOverlays::read() {
    m_task.cancel();
    std::vector<std::pair<Run, Found>> unread;
    for (const auto& run : m_runs) {
        if (!isKnown(run))
            unread.emplace_back(run, m_known[run.id]);
    }
    if (!m_isShown || unread.empty() || !m_readers)
        return;
    m_task.start(
        *m_readers,
        [runs = std::move(unread), withPaths = m_arePathsShown](
            const store::Store& store, const TaskStage<FoundOf>& stage) {
            for (const auto& [run, known] : runs) {
                auto found = readOne({store, run, stage.progress()}, known, withPaths);
                if (!found.hasValue())
                    return stage.publish(found.error());
                stage.publish(FoundOf{run.id, std::move(found).value()});
            }
        },
        [this](Result<FoundOf> found) {
            // The lanes say why the database cannot be read.
            if (!found.hasValue())
                return;
            m_known[found.value().first] = std::move(found.value().second);
            gather();
        });
    Q_EMIT changed();
}

void TimelineOverlays::gather() {
    auto shown = std::make_shared<std::vector<plot::RunOverlay>>();
    for (const auto& run : m_runs) {
        const auto known = m_known.find(run.id);
        const bool isRead = known != m_known.end() && known->second.overlay;
        auto& one = shown->emplace_back(isRead ? *known->second.overlay : plot::RunOverlay());
        if (isRead && m_arePathsShown && known->second.path && known->second.path->hasValue())
            one.path = known->second.path->value();
    }
    m_shown = std::move(shown);
    Q_EMIT changed();
}

} // namespace trainscope::app
