#pragma once
// A view of the application in a real window of 1920×1080 with software rendering, and what its
// frames cost: from the input to the end of rendering, at 60 frames a second, with everything that
// arrives in between.

#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QVariantMap>

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>

namespace trainscope::bench {

class RealWindow {
public:
    // `qml` makes the view; without an item where it cannot be made.
    RealWindow(const char* qml, const QVariantMap& properties);

    [[nodiscard]] QQuickItem* item() const { return m_item.get(); }
    // Handles events until `isSettled`, for a minute at most; false if it never was.
    bool settle(const std::function<bool()>& isSettled);
    // Renders now, as the render loop does when the screen asks for a frame.
    void render();

private:
    QQmlEngine m_engine;
    QQuickWindow m_window;
    std::unique_ptr<QQuickItem> m_item;
};

// `step(i)` is the input of frame i. Counters: median, p99 and worst of the frames, and of the
// processor time of this thread, which does not hang on what else the machine does.
void measureFrames(
    benchmark::State& state, RealWindow& window, const std::function<void(int)>& step);

} // namespace trainscope::bench
