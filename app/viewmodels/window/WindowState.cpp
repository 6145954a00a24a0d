#include "app/viewmodels/window/WindowState.h"

#include <QGuiApplication>
#include <QScreen>
#include <QSettings>

namespace trainscope::app {

namespace {
constexpr auto kGeometryKey = "window/geometry";
constexpr auto kMaximizedKey = "window/maximized";
constexpr auto kRunListKey = "window/runList";
constexpr auto kInspectorKey = "window/inspector";
constexpr QSize kFirstSize{1440, 900};
} // namespace

WindowState::WindowState(QObject* parent)
    : QObject(parent) {
    const QSettings settings;
    m_runListOpen = settings.value(QLatin1String(kRunListKey), true).toBool();
    m_inspectorOpen = settings.value(QLatin1String(kInspectorKey), true).toBool();
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

void WindowState::setRunListOpen(bool open) {
    if (open == runListOpen())
        return;
    (m_tight ? m_tightRunList : m_runListOpen) = open;
    if (!m_tight)
        QSettings().setValue(QLatin1String(kRunListKey), open);
    Q_EMIT panesChanged();
}

void WindowState::setInspectorOpen(bool open) {
    if (open == inspectorOpen())
        return;
    (m_narrow ? m_narrowInspector : m_inspectorOpen) = open;
    if (!m_narrow)
        QSettings().setValue(QLatin1String(kInspectorKey), open);
    Q_EMIT panesChanged();
}

void WindowState::setNarrow(bool narrow) {
    if (narrow == m_narrow)
        return;
    m_narrow = narrow;
    m_narrowInspector = false;
    Q_EMIT panesChanged();
}

void WindowState::setTight(bool tight) {
    if (tight == m_tight)
        return;
    m_tight = tight;
    m_tightRunList = false;
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
