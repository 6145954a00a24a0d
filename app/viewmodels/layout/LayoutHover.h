#pragma once
// Item under the pointer in the layout view, and the words for it. GUI thread.

#include <QObject>
#include <QQmlEngine>

#include "app/viewmodels/layout/LayoutDiagrams.h"

namespace trainscope::app {

class LayoutHover : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")
    Q_PROPERTY(QString title READ title NOTIFY changed FINAL)
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)
    Q_PROPERTY(int part READ part NOTIFY changed FINAL) // part of LayoutDiagrams; -1: nothing
    Q_PROPERTY(QRectF place READ place NOTIFY changed FINAL) // in that part

public:
    LayoutHover(LayoutContext& context, LayoutDiagrams& diagrams, QObject* parent = nullptr);

    void hoverAt(trainscope::app::LayoutDiagrams::Part part, double x, double y);
    Q_INVOKABLE void leave();
    // The values of the ranks are other ones.
    void refresh();
    [[nodiscard]] bool isSomewhere() const { return !m_text.title.isEmpty(); }

    [[nodiscard]] QString title() const { return m_text.title; }
    [[nodiscard]] QString text() const { return m_text.text; }
    [[nodiscard]] int part() const { return isSomewhere() ? m_part : -1; }
    [[nodiscard]] QRectF place() const { return m_hit.place; }

Q_SIGNALS:
    void changed();

private:
    void take(const LayoutDiagrams::Hit& hit);
    [[nodiscard]] HoverText wording() const;

    LayoutContext& m_context;
    LayoutDiagrams& m_diagrams;
    int m_part = 0;
    LayoutDiagrams::Hit m_hit;
    HoverText m_text;
};

} // namespace trainscope::app
