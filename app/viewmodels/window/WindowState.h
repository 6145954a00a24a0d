#pragma once
// State of the window that is remembered from one start to the next: its place and size, and its
// open parts. GUI thread only.

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

    // In a narrow window the inspector starts closed, in a tight one the runs as well; what the
    // user opens there is not remembered.
    Q_PROPERTY(bool narrow READ narrow WRITE setNarrow NOTIFY panesChanged FINAL)
    Q_PROPERTY(bool tight READ tight WRITE setTight NOTIFY panesChanged FINAL)

public:
    explicit WindowState(QObject* parent = nullptr);

    // Puts the window where it was, when that still lies on a screen; saves when the program ends.
    Q_INVOKABLE void attach(QQuickWindow* window);

    [[nodiscard]] bool runListOpen() const { return m_tight ? m_tightRunList : m_runListOpen; }
    void setRunListOpen(bool open);
    [[nodiscard]] bool inspectorOpen() const {
        return m_narrow ? m_narrowInspector : m_inspectorOpen;
    }
    void setInspectorOpen(bool open);
    [[nodiscard]] bool narrow() const { return m_narrow; }
    void setNarrow(bool narrow);
    [[nodiscard]] bool tight() const { return m_tight; }
    void setTight(bool tight);

Q_SIGNALS:
    void panesChanged();

private:
    void save() const;

    QPointer<QQuickWindow> m_window;
    bool m_runListOpen = true;
    bool m_inspectorOpen = true;
    bool m_narrow = false;
    bool m_tight = false;
    bool m_narrowInspector = false;
    bool m_tightRunList = false;
};

} // namespace trainscope::app
