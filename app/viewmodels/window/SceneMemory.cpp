#include "app/viewmodels/window/SceneMemory.h"

#include <malloc.h>

#include <chrono>

namespace trainscope::app {

namespace {
constexpr std::chrono::milliseconds kPause{200};
constexpr int kMappedBytes = 1 << 20; // and more have pages of their own
} // namespace

SceneMemory::SceneMemory(QObject* parent)
    : QObject(parent) {
    // Pictures and buffers come and go by the megabyte. The C library would soon put them between
    // what stays, whose pages then stay as well.
    mallopt(M_MMAP_THRESHOLD, kMappedBytes);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kPause);
    connect(&m_rest, &QTimer::timeout, this, &SceneMemory::release);
}

void SceneMemory::setWindow(QQuickWindow* window) {
    if (window == m_window)
        return;
    if (m_window)
        m_window->disconnect(this);
    m_window = window;
    // Frames end on the thread that draws.
    if (window != nullptr)
        connect(
            window, &QQuickWindow::frameSwapped, this, &SceneMemory::count, Qt::QueuedConnection);
    Q_EMIT windowChanged();
}

void SceneMemory::count() {
    if (++m_drawn >= m_frames)
        m_rest.start();
}

void SceneMemory::release() {
    m_drawn = 0;
    if (!m_window)
        return;
    m_window->releaseResources();
    // Pages that lie free between others stay with the program otherwise.
    malloc_trim(0);
    Q_EMIT released();
}

} // namespace trainscope::app
