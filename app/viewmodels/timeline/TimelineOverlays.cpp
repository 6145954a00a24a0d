#include "app/viewmodels/timeline/TimelineOverlays.h"

#include "core/figures/timeline/TimelineLoad.h"

#include <utility>

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

const std::vector<plot::RunOverlay>* TimelineOverlays::shown() const {
    return m_isShown ? m_shown.get() : nullptr;
}

std::shared_ptr<const std::vector<plot::RunOverlay>> TimelineOverlays::copy() const {
    return m_isShown ? m_shown : nullptr;
}

void TimelineOverlays::read() {
    m_task.cancel();
    std::vector<Run> unread;
    for (const auto& run : m_runs) {
        if (!m_known.contains(run.id))
            unread.push_back(run);
    }
    if (!m_isShown || unread.empty() || !m_readers)
        return;
    m_task.start(
        *m_readers,
        [runs = std::move(unread)](const store::Store& store, const TaskStage<Found>& stage) {
            for (const auto& run : runs) {
                auto overlay = figures::loadOverlay({store, run, stage.progress()});
                if (!overlay.hasValue())
                    return stage.publish(overlay.error());
                stage.publish(Found{
                    run.id, std::make_shared<const plot::RunOverlay>(std::move(overlay).value())});
            }
        },
        [this](Result<Found> found) {
            // The lanes say why the database cannot be read.
            if (!found.hasValue())
                return;
            m_known[found.value().run] = found.value().overlay;
            gather();
        });
}

void TimelineOverlays::gather() {
    auto shown = std::make_shared<std::vector<plot::RunOverlay>>();
    for (const auto& run : m_runs) {
        const auto known = m_known.find(run.id);
        shown->push_back(known == m_known.end() ? plot::RunOverlay() : *known->second);
    }
    m_shown = std::move(shown);
    Q_EMIT changed();
}

} // namespace trainscope::app
