#pragma once
// Small decorative drawings, which carry no accessible name: a line icon, drawn on a grid of 16 ×
// 16, which is its size where none is given, and a curve without axes. Names of icons: see
// resources/icons.json; an unknown name draws nothing.

#include <QColor>
#include <QList>
#include <QQuickPaintedItem>
#include <QString>

#include <string_view>

namespace trainscope::app {

// resources/icons.json: by name the strokes on the grid, as elements of an SVG.
std::string_view iconTable();

class Icon : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString name MEMBER m_name NOTIFY changed FINAL)
    Q_PROPERTY(QColor color MEMBER m_color NOTIFY changed FINAL)

public:
    explicit Icon(QQuickItem* parent = nullptr);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void changed();

private:
    QString m_name;
    QColor m_color;
};

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
