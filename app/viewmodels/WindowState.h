#pragma once
// What the window remembers from one start to the next: its place and size, and which of its parts
// are open. GUI thread only.

#include <QObject>
#include <QPointer>
#include <QQmlEngine>
#include <QQuickWindow>

namespace trainscope::app {

class WindowState : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(bool runListOpen READ runListOpen WRITE setRunListOpen NOTIFY panesChanged FINAL)
    Q_PROPERTY(
        bool inspectorOpen READ inspectorOpen WRITE setInspectorOpen NOTIFY panesChanged FINAL)

public:
    explicit WindowState(QObject* parent = nullptr);

    // Puts the window where it was, when that still lies on a screen; saves when the program ends.
    Q_INVOKABLE void attach(QQuickWindow* window);

    [[nodiscard]] bool runListOpen() const { return m_runListOpen; }
    void setRunListOpen(bool open);
    [[nodiscard]] bool inspectorOpen() const { return m_inspectorOpen; }
    void setInspectorOpen(bool open);

Q_SIGNALS:
    void panesChanged();

private:
    void save() const;

    QPointer<QQuickWindow> m_window;
    bool m_runListOpen = true;
    bool m_inspectorOpen = true;
};

} // namespace trainscope::app
