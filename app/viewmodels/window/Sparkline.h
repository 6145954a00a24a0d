#pragma once
// A small curve without axes; NaN leaves a gap. Decorative: no accessible name.

#include <QColor>
#include <QList>
#include <QQuickPaintedItem>

namespace trainscope::app {

class Sparkline : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QList<double> values MEMBER m_values NOTIFY changed FINAL) // 0..1, 1 at the top
    Q_PROPERTY(QColor color MEMBER m_color NOTIFY changed FINAL)

public:
    explicit Sparkline(QQuickItem* parent = nullptr);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void changed();

private:
    QList<double> m_values;
    QColor m_color;
};

} // namespace trainscope::app
