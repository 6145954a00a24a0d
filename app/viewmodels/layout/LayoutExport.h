#pragma once
// Files of the layout view: its diagrams, the schedule, the placement. Plain functions; GUI thread.

#include "app/viewmodels/layout/LayoutContext.h"
#include "app/viewmodels/layout/LayoutSchedule.h"
#include "app/viewmodels/workspace/Exportable.h"

namespace trainscope::app {

// Figures that can be written.
QStringList layoutFigures(const LayoutContext& context, const LayoutSchedule& schedule);
// `figure` of those; `timeText` is the moment that the diagrams show.
ExportJob layoutJob(const LayoutContext& context, const LayoutSchedule& schedule, int figure,
    const QString& timeText);

} // namespace trainscope::app
