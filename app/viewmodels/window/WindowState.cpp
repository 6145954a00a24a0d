#include "app/viewmodels/window/WindowState.h"

#include <QGuiApplication>
#include <QScreen>
#include <QSettings>

#include <utility>

namespace trainscope::app {

namespace {
constexpr auto kGeometryKey = "window/geometry";
constexpr auto kMaximizedKey = "window/maximized";
constexpr QSize kFirstSize{1440, 900};
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

} // namespace trainscope::app
