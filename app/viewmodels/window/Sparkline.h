#pragma once
// A small curve without axes; NaN leaves a gap. Decorative: no accessible name.

#include <QColor>
#include <QList>
#include <QQuickPaintedItem>

namespace trainscope::app {

class Sparkline : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QList<double> values READ values WRITE setValues NOTIFY valuesChanged FINAL)
    Q_PROPERTY(QColor color READ color WRITE setColor NOTIFY colorChanged FINAL)

public:
    explicit Sparkline(QQuickItem* parent = nullptr);

    [[nodiscard]] QList<double> values() const { return m_values; } // 0..1, 1 at the top
    void setValues(const QList<double>& values);
    [[nodiscard]] QColor color() const { return m_color; }
    void setColor(const QColor& color);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void valuesChanged();
    void colorChanged();

private:
    QList<double> m_values;
    QColor m_color;
};

} // namespace trainscope::app
