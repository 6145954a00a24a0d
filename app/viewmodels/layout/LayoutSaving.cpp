// Keeps in the database what the user enters of a run's layout and machine.
#include "app/viewmodels/layout/LayoutController.h"

#include "app/importing/DescribedRuns.h"
#include "core/model/Try.h"
#include "core/store/Writing.h"

#include <QPointer>

#include <utility>

namespace trainscope::app {

void LayoutController::beginMachine() {
    m_machine.begin(isReady() ? m_context.reading->machine : MachineFormFacts());
}

void LayoutController::saveMachine() {
    auto* open = workspace();
    if (open == nullptr || !m_context.run)
        return;
    std::vector<RunId> runs = m_machine.others();
    runs.insert(runs.begin(), m_context.run->id);
    open->write(
        [runs = std::move(runs), order = m_machine.said(),
            model = m_machine.gpuModel().trimmed().toStdString()](store::Store& store) -> Status {
            for (const RunId run : runs) {
                RETURN_IF_ERROR(store::setAirflow(store, run, order));
                RETURN_IF_ERROR(sayGpuModel(store, run, model));
            }
            return {};
        },
        [views = QPointer(views())](const Status& written) {
            if (views && !written.hasValue())
                views->report(written.error());
        });
}

void LayoutController::write(const Run& run, std::optional<layout::LayoutRequest> request) {
    auto* open = workspace();
    if (open == nullptr)
        return;
    open->write([run, request = std::move(request)](
                    store::Store& store) { return analysis::enterLayout(store, run, request); },
        [views = QPointer(views())](const Status& written) {
            if (views && !written.hasValue())
                views->report(written.error());
        });
}

} // namespace trainscope::app
