// The diagrams of a run that plays, as the window produces them: the temperature of every GPU at
// the cursor, which goes on with every frame, while the pictures to come are read beside it.
#include "bench/RealWindow.h"
#include "bench/inputs/ViewedDatabase.h"

#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/session/Session.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <benchmark/benchmark.h>

namespace {

using namespace trainscope;

constexpr auto kLayoutView = R"(
import Trainscope
import Trainscope.App
LayoutView { inspectorOpen: true }
)";

// With groups, so that the logical diagram is there too.
std::filesystem::path laidOut(const bench::ViewedRun& size) {
    const auto path = bench::viewedDatabase(size);
    auto store = store::Store::openOrCreate(path);
    const auto runs = store.value().runs();
    (void)store::setEnteredLayout(store.value(), runs.value().front().id, R"({"tp":8,"pp":4})");
    return path;
}

void layoutFrame(benchmark::State& state) {
    bench::ViewedRun run;
    run.gpus = static_cast<int>(state.range(0));
    run.samples = 4'000;
    app::Session session;
    session.workspace()->open(laidOut(run));
    bench::RealWindow window(
        kLayoutView, {{QStringLiteral("session"), QVariant::fromValue(&session)}});
    if (window.item() == nullptr)
        return state.SkipWithError("the view cannot be made");
    auto& controller = *window.item()->property("controller").value<app::LayoutController*>();
    if (!window.settle([&] { return controller.isReady() && !controller.isLoading(); }))
        return state.SkipWithError("the view did not open");
    auto& playback = *controller.playback();
    playback.setPlaying(true);
    int recoloured = 0;
    QObject::connect(
        controller.diagrams(), &app::LayoutDiagrams::recoloured, [&] { ++recoloured; });
    bench::measureFrames(state, window, [](int) {});
    state.counters["pictures"] = recoloured;
}

BENCHMARK(layoutFrame)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
