// Words of the timeline about itself.
#include "app/viewmodels/text/RunWording.h"
#include "app/viewmodels/timeline/TimelineController.h"

namespace trainscope::app {

QString TimelineController::emptyText() const {
    const auto* workspace = m_context.workspace.data();
    if (workspace == nullptr || !workspace->isOpen())
        return QStringLiteral("Drop a result folder, traces or a run database here.");
    if (workspace->runs().empty())
        return noRunsText();
    if (workspace->shownRuns().empty())
        return chooseRunText();
    if (m_isOpening || !m_context.catalogue)
        return QStringLiteral("Reading the runs…");
    if (m_context.arrangement.lanes.empty())
        return QStringLiteral("No lanes are shown. Add one, or reset the lanes.");
    return {};
}

QString TimelineController::runsNote() const {
    const std::size_t shown = m_context.workspace ? m_context.workspace->shownRuns().size() : 0;
    return shown > kMostRuns ? QStringLiteral("%1 of %2 runs are drawn").arg(kMostRuns).arg(shown)
                             : QString();
}

QString TimelineController::description() const {
    if (!isReady())
        return emptyText();
    QStringList parts;
    if (m_cursor.isVisible())
        parts.append(QStringLiteral("Cursor at %1").arg(m_cursor.text()));
    if (m_selection.isVisible())
        parts.append(m_selection.description());
    parts.append(m_lanes.summary());
    return parts.join(QStringLiteral(". "));
}

} // namespace trainscope::app
