#pragma once
// Keeps the memory of a window that is drawn for hours flat. Qt's scene graph keeps every buffer
// that it once filled for the graphics card, in 64 sets that are used in turn, each as large as the
// largest that ever took its place (measured with Qt 6.4: 4 MB more in each minute of use). GUI
// thread only.

#include <QObject>
#include <QPointer>
#include <QQmlEngine>
#include <QQuickWindow>
#include <QTimer>

namespace trainscope::app {

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
