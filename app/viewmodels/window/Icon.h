#pragma once
// A line icon, drawn on a grid of 16 × 16, which is its size where none is given. Decorative: the
// control that shows it carries the accessible name. Names: see Icon.cpp; an unknown name draws
// nothing.

#include <QColor>
#include <QQuickPaintedItem>
#include <QString>

namespace trainscope::app {

class Icon : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString name READ name WRITE setName NOTIFY nameChanged FINAL)
    Q_PROPERTY(QColor color READ color WRITE setColor NOTIFY colorChanged FINAL)

public:
    explicit Icon(QQuickItem* parent = nullptr);

    [[nodiscard]] QString name() const { return m_name; }
    void setName(const QString& name);
    [[nodiscard]] QColor color() const { return m_color; }
    void setColor(const QColor& color);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void nameChanged();
    void colorChanged();

private:
    QString m_name;
    QColor m_color;
};

} // namespace trainscope::app
