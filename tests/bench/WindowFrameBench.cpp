// The timeline as the window produces it, panned and zoomed while data is read beside it. Panning
// alternates with zooming; half of the frames are each.
#include "bench/RealWindow.h"
#include "bench/inputs/ViewedDatabase.h"

#include "app/viewmodels/timeline/TimelineController.h"
#include "app/viewmodels/workspace/Workspace.h"
#include "core/model/InteractiveThread.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <utility>

namespace {

using namespace trainscope;

constexpr auto kWindowView = R"(
import Trainscope
import Trainscope.App
TimelineView { }
)";

// The utilisation of all GPUs as lines, and their power as heat, beside the usual lanes.
void showLanes(app::TimelineController& controller) {
    constexpr int kLines = 0;
    constexpr int kHeat = 2;
    app::LanePicker& picker = *controller.picker();
    for (const auto& [title, style] :
        {std::pair{"GPU utilisation", kLines}, std::pair{"GPU power", kHeat}}) {
        const auto rowOf = [&, wanted = QLatin1String(title)](bool isShown) {
            const auto& rows = picker.rows();
            const auto found = std::find_if(rows.begin(), rows.end(),
                [&](const auto& row) { return row.title == wanted && (row.lane >= 0) == isShown; });
            return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
        };
        if (rowOf(true) < 0)
            picker.toggle(rowOf(false));
        picker.setStyle(rowOf(true), style);
    }
    controller.lanes()->setScrollPosition(0.0);
}

void step(app::TimelineController& controller, int frame) {
    const int phase = frame % 120;
    const double middle
        = controller.navigation()->plotX() + 0.4 * controller.navigation()->plotWidth();
    if (phase < 30)
        controller.navigation()->panBy(20.0);
    else if (phase < 60)
        controller.navigation()->zoomAt(0.97, middle);
    else if (phase < 90)
        controller.navigation()->panBy(-20.0);
    else
        controller.navigation()->zoomAt(1.0 / 0.97, middle);
}

void windowFrame(benchmark::State& state) {
    bench::ViewedRun run;
    run.gpus = static_cast<int>(state.range(0));
    run.samples = run.gpus > 64 ? 4'000 : 20'000;
    markInteractiveThread(); // before its readers, as in the application
    app::Workspace workspace;
    workspace.open(bench::viewedDatabase(run));
    bench::RealWindow window(
        kWindowView, {{QStringLiteral("workspace"), QVariant::fromValue(&workspace)}});
    if (window.item() == nullptr)
        return state.SkipWithError("the view cannot be made");
    auto& controller = *window.item()->property("controller").value<app::TimelineController*>();
    const auto isRead = [&] { return controller.isReady() && !controller.isLoading(); };
    if (!window.settle(isRead))
        return state.SkipWithError("the view did not open");
    showLanes(controller);
    window.settle(isRead);
    controller.navigation()->zoomAt(0.25, controller.navigation()->plotX() + 600.0);
    window.settle(isRead);
    bench::measureFrames(state, window, [&](int frame) { step(controller, frame); });
}

BENCHMARK(windowFrame)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
