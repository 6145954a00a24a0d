#include "app/viewmodels/window/WindowState.h"

#include <QGuiApplication>
#include <QScreen>
#include <QSettings>

#include <malloc.h>

#include <chrono>
#include <utility>

namespace trainscope::app {

namespace {

constexpr auto kGeometryKey = "window/geometry";
constexpr auto kMaximizedKey = "window/maximized";
constexpr QSize kFirstSize{1440, 900};

constexpr std::chrono::milliseconds kPause{200};
constexpr int kMappedBytes = 1 << 20; // and more have pages of their own

} // namespace

WindowState::WindowState(QObject* parent)
    : QObject(parent) {
    const QSettings settings;
    for (Pane* pane : {&m_runList, &m_inspector})
        pane->isOpen = settings.value(QLatin1String(pane->key), true).toBool();
}

void WindowState::attach(QQuickWindow* window) {
    if (window == nullptr)
        return;
    m_window = window;
    const QSettings settings;
    const auto stored = settings.value(QLatin1String(kGeometryKey)).toRect();
    const auto* screen = QGuiApplication::screenAt(stored.center());
    if (stored.isValid() && screen != nullptr) {
        window->setGeometry(stored.intersected(screen->availableGeometry()));
    } else if (window->screen() != nullptr) {
        const auto space = window->screen()->availableGeometry();
        const auto size = kFirstSize.boundedTo(space.size());
        window->setGeometry(QRect(space.center() - QPoint(size.width(), size.height()) / 2, size));
    }
    if (settings.value(QLatin1String(kMaximizedKey), false).toBool())
        window->setWindowStates(Qt::WindowMaximized);
    connect(qApp, &QCoreApplication::aboutToQuit, this, &WindowState::save);
}

void WindowState::open(Pane& pane, bool isOpen) {
    if (isOpen == pane.isShown())
        return;
    (pane.isTight ? pane.isOpenInTight : pane.isOpen) = isOpen;
    if (!pane.isTight)
        QSettings().setValue(QLatin1String(pane.key), isOpen);
    Q_EMIT panesChanged();
}

void WindowState::fit(Pane& pane, bool isTight) {
    if (isTight == std::exchange(pane.isTight, isTight))
        return;
    pane.isOpenInTight = false;
    Q_EMIT panesChanged();
}

void WindowState::save() const {
    if (!m_window)
        return;
    QSettings settings;
    const bool maximized = (m_window->windowStates() & Qt::WindowMaximized) != 0;
    settings.setValue(QLatin1String(kMaximizedKey), maximized);
    if (!maximized && (m_window->windowStates() & Qt::WindowFullScreen) == 0)
        settings.setValue(QLatin1String(kGeometryKey), m_window->geometry());
}

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
