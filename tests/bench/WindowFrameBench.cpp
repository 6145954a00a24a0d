// The whole frame as the window produces it: the timeline view of the application in a real window
// with software rendering, 1920×1080, panned and zoomed at 60 frames a second while data is read
// beside it. A frame's time is from the input to the end of rendering, with everything that arrives
// in between. Panning alternates with zooming; half of the frames are each.
#include "bench/inputs/ViewedDatabase.h"

#include "app/viewmodels/shared/Workspace.h"
#include "app/viewmodels/timeline/TimelineController.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickWindow>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>

namespace {

using namespace trainscope;

constexpr int kWidth = 1920;
constexpr int kHeight = 1080;
constexpr int kFrames = 480;
constexpr double kFrameMs = 1000.0 / 60.0;

constexpr auto kView = R"(
import QtQuick
import Trainscope
import Trainscope.App
TimelineView {
    width: 1920
    height: 1080
}
)";

class View {
public:
    explicit View(const std::filesystem::path& database) {
        if (QQuickWindow::graphicsApi() != QSGRendererInterface::Software)
            QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
        m_engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
        m_opened = m_workspace.open(database).hasValue();
        QQmlComponent component(&m_engine);
        component.setData(kView, QUrl());
        m_item.reset(qobject_cast<QQuickItem*>(component.createWithInitialProperties(
            {{QStringLiteral("workspace"), QVariant::fromValue(&m_workspace)}})));
        if (!m_item)
            return;
        m_controller = m_item->property("controller").value<app::TimelineController*>();
        m_window.resize(kWidth, kHeight);
        m_item->setParentItem(m_window.contentItem());
        m_window.show();
    }
    // Until the first window is read whole.
    bool settle() {
        QElapsedTimer clock;
        clock.start();
        while (m_controller != nullptr && clock.elapsed() < 60'000) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
            if (m_controller->isReady() && !m_controller->isLoading())
                return m_opened;
        }
        return false;
    }
    app::TimelineController& controller() { return *m_controller; }
    // Renders now, as the render loop does when the screen asks for a frame.
    void render() {
        QCoreApplication::processEvents();
        QEvent update(QEvent::UpdateRequest);
        QCoreApplication::sendEvent(&m_window, &update);
    }

private:
    QQmlEngine m_engine;
    app::Workspace m_workspace;
    QQuickWindow m_window;
    std::unique_ptr<QQuickItem> m_item;
    app::TimelineController* m_controller = nullptr;
    bool m_opened = false;
};

void showLanes(app::TimelineController& controller) {
    const auto lanes = controller.laneChoices();
    for (const char* wanted :
        {"GPU utilisation, all GPUs as lines", "GPU power, heat strip per GPU"}) {
        const auto at = lanes.indexOf(QString::fromUtf8(wanted));
        if (at >= 0)
            controller.addLane(static_cast<int>(at));
    }
    controller.setScroll(0.0);
}

void step(app::TimelineController& controller, int frame) {
    const int phase = frame % 120;
    const double middle = controller.plotX() + 0.4 * controller.plotWidth();
    if (phase < 30)
        controller.panBy(20.0);
    else if (phase < 60)
        controller.zoomAt(0.97, middle);
    else if (phase < 90)
        controller.panBy(-20.0);
    else
        controller.zoomAt(1.0 / 0.97, middle);
}

// Of this thread: what a frame costs whatever else the machine does.
double processorMs() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void windowFrame(benchmark::State& state) {
    bench::ViewedRun run;
    run.gpus = static_cast<int>(state.range(0));
    run.samples = run.gpus > 64 ? 4'000 : 20'000;
    View view(bench::viewedDatabase(run));
    if (!view.settle())
        return state.SkipWithError("the view did not open");
    showLanes(view.controller());
    view.settle();
    view.controller().zoomAt(0.25, view.controller().plotX() + 600.0);
    view.settle();
    std::vector<double> frames;
    std::vector<double> processor;
    QElapsedTimer clock;
    for (auto _ : state) {
        for (int i = 0; i < kFrames; ++i) {
            clock.start();
            const double before = processorMs();
            step(view.controller(), i);
            view.render();
            const double spent = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
            frames.push_back(spent);
            processor.push_back(processorMs() - before);
            while (static_cast<double>(clock.nsecsElapsed()) * 1e-6 < kFrameMs)
                QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        }
    }
    state.counters["median_ms"] = quantile(frames, 0.5);
    state.counters["p99_ms"] = quantile(frames, 0.99);
    state.counters["worst_ms"] = quantile(frames, 1.0);
    state.counters["cpu_median_ms"] = quantile(processor, 0.5);
    state.counters["cpu_p99_ms"] = quantile(processor, 0.99);
}

BENCHMARK(windowFrame)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
