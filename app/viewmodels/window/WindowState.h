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

    [[nodiscard]] bool runListOpen() const { return m_runList.isShown(); }
    void setRunListOpen(bool isOpen) { open(m_runList, isOpen); }
    [[nodiscard]] bool inspectorOpen() const { return m_inspector.isShown(); }
    void setInspectorOpen(bool isOpen) { open(m_inspector, isOpen); }
    [[nodiscard]] bool narrow() const { return m_inspector.isTight; }
    void setNarrow(bool narrow) { fit(m_inspector, narrow); }
    [[nodiscard]] bool tight() const { return m_runList.isTight; }
    void setTight(bool tight) { fit(m_runList, tight); }

Q_SIGNALS:
    void panesChanged();

private:
    struct Pane {
        const char* key; // in the settings
        bool isOpen = true;
        bool isTight = false; // the window has no room for it
        bool isOpenInTight = false;

        [[nodiscard]] bool isShown() const { return isTight ? isOpenInTight : isOpen; }
    };
    void open(Pane& pane, bool isOpen);
    void fit(Pane& pane, bool isTight);
    void save() const;

    QPointer<QQuickWindow> m_window;
    Pane m_runList{"window/runList"};
    Pane m_inspector{"window/inspector"};
};

} // namespace trainscope::app
