// Figure of the shown timeline for export.
#include "app/viewmodels/importing/EngineLogins.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "core/model/Try.h"

#include <utility>

namespace trainscope::app {

figures::TimelineRequest TimelineController::request() const {
    figures::TimelineRequest request;
    if (m_context.workspace && m_context.workspace->isOpen())
        request.database = m_context.workspace->databasePath().toStdString();
    request.runs = m_context.runs;
    request.arrangement = m_context.arrangement;
    request.window = m_context.window.window();
    request.time = m_context.display;
    request.overlays = m_overlays.copy();
    request.utcOffsetSeconds = m_context.wording().utcOffsetSeconds;
    return request;
}

ExportJob TimelineController::exportJob() const {
    if (!isReady())
        return {};
    ExportJob job;
    job.name = QString::fromStdString(m_context.runs.front().name);
    job.figure = [shown = request()](const figures::Request& request,
                     const Progress& progress) -> Result<figures::Figure> {
        ASSIGN_OR_RETURN(
            const auto store, store::Store::open(shown.database, store::OpenMode::ReadOnly));
        auto asked = shown;
        EngineLanes::Settings settings;
        settings.waits = true;
        settings.access = loginOf;
        ASSIGN_OR_RETURN(asked.remote, EngineLanes::open(store, std::move(settings)));
        return figures::timelineFigure(store, asked, request, progress);
    };
    return job;
}

} // namespace trainscope::app
