#include "bench/RealWindow.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QEventLoop>
#include <QQmlComponent>

#include <algorithm>
#include <ctime>
#include <vector>

namespace trainscope::bench {
namespace {

constexpr int kWidth = 1920;
constexpr int kHeight = 1080;
constexpr int kFrames = 480;
constexpr double kFrameMs = 1000.0 / 60.0;
constexpr qint64 kPatienceMs = 60'000;

double processorMs() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double elapsedMs(const QElapsedTimer& clock) {
    return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

} // namespace

RealWindow::RealWindow(const char* qml, const QVariantMap& properties) {
    if (QQuickWindow::graphicsApi() != QSGRendererInterface::Software)
        QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
    m_engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    QQmlComponent component(&m_engine);
    component.setData(qml, QUrl());
    m_item.reset(qobject_cast<QQuickItem*>(component.createWithInitialProperties(properties)));
    if (!m_item)
        return;
    m_item->setSize({kWidth, kHeight});
    m_window.resize(kWidth, kHeight);
    m_item->setParentItem(m_window.contentItem());
    m_window.show();
}

bool RealWindow::settle(const std::function<bool()>& isSettled) {
    QElapsedTimer clock;
    clock.start();
    while (m_item && clock.elapsed() < kPatienceMs) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        if (isSettled())
            return true;
    }
    return false;
}

void RealWindow::render() {
    QCoreApplication::processEvents();
    QEvent update(QEvent::UpdateRequest);
    QCoreApplication::sendEvent(&m_window, &update);
}

void measureFrames(
    benchmark::State& state, RealWindow& window, const std::function<void(int)>& step) {
    std::vector<double> frames;
    std::vector<double> processor;
    QElapsedTimer clock;
    for (auto _ : state) {
        for (int i = 0; i < kFrames; ++i) {
            clock.start();
            const double before = processorMs();
            step(i);
            window.render();
            frames.push_back(elapsedMs(clock));
            processor.push_back(processorMs() - before);
            while (elapsedMs(clock) < kFrameMs)
                QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        }
    }
    state.counters["median_ms"] = quantile(frames, 0.5);
    state.counters["p99_ms"] = quantile(frames, 0.99);
    state.counters["worst_ms"] = quantile(frames, 1.0);
    state.counters["cpu_median_ms"] = quantile(processor, 0.5);
    state.counters["cpu_p99_ms"] = quantile(processor, 0.99);
}

} // namespace trainscope::bench
