#pragma once
// State of the window that is remembered from one start to the next: its place and size, and its
// open parts; and what keeps its memory flat. GUI thread only.

#include <QObject>
#include <QPointer>
#include <QQmlEngine>
#include <QQuickWindow>
#include <QTimer>

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

// Keeps the memory of a window that is drawn for hours flat. Qt's scene graph keeps every buffer
// that it once filled for the graphics card, in 64 sets that are used in turn, each as large as the
// largest that ever took its place (measured with Qt 6.4: 4 MB more in each minute of use). GUI
// thread only.
//
// Frees memory once the window has drawn that many frames and rests: its scene graph gives back
// what it does not need, and the program the pages that lie free.
class SceneMemory : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QQuickWindow* window READ window WRITE setWindow NOTIFY windowChanged FINAL)
    Q_PROPERTY(int frames MEMBER m_frames FINAL)

public:
    explicit SceneMemory(QObject* parent = nullptr);

    [[nodiscard]] QQuickWindow* window() const { return m_window; }
    void setWindow(QQuickWindow* window);

Q_SIGNALS:
    void windowChanged();
    void released();

private:
    void count();
    void release();

    QPointer<QQuickWindow> m_window;
    QTimer m_rest;
    int m_frames = 1000;
    int m_drawn = 0;
};

} // namespace trainscope::app
