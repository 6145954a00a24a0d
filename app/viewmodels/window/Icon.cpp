#include "app/viewmodels/window/Icon.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace trainscope::app {

namespace {

constexpr double kGrid = 16.0;

// Strokes on the grid: "M x y" begins, "L x y" continues, "Z" closes, "O x y r" is a
// circle, "D x y r" a filled one.
struct Drawing {
    std::string_view name;
    std::string_view strokes;
};

constexpr std::array kDrawings{
    Drawing{"menu", "M 2.5 4.5 L 13.5 4.5 M 2.5 8 L 13.5 8 M 2.5 11.5 L 13.5 11.5"},
    Drawing{"close", "M 4 4 L 12 12 M 12 4 L 4 12"},
    Drawing{"check", "M 3.5 8.5 L 6.5 11.5 L 12.5 4.5"},
    Drawing{"play", "M 5 3 L 12.5 8 L 5 13 Z"},
    Drawing{"pause", "M 5.5 3.5 L 5.5 12.5 M 10.5 3.5 L 10.5 12.5"},
    Drawing{"plus", "M 8 3 L 8 13 M 3 8 L 13 8"},
    Drawing{"minus", "M 3 8 L 13 8"},
    Drawing{"search", "O 7 7 4 M 10 10 L 13.5 13.5"},
    Drawing{"chevronDown", "M 4.5 6.5 L 8 10 L 11.5 6.5"},
    Drawing{"chevronUp", "M 4.5 9.5 L 8 6 L 11.5 9.5"},
    Drawing{"chevronRight", "M 6.5 4.5 L 10 8 L 6.5 11.5"},
    Drawing{"chevronLeft", "M 9.5 4.5 L 6 8 L 9.5 11.5"},
    Drawing{"panelTop",
        "M 2.5 3 L 13.5 3 L 13.5 7 L 2.5 7 Z M 2.5 9.5 L 13.5 9.5 L 13.5 13.5 L 2.5 13.5 Z"},
    Drawing{"panelLeft", "M 2.5 3.5 L 13.5 3.5 L 13.5 12.5 L 2.5 12.5 Z M 6.5 3.5 L 6.5 12.5"},
    Drawing{"panelRight", "M 2.5 3.5 L 13.5 3.5 L 13.5 12.5 L 2.5 12.5 Z M 9.5 3.5 L 9.5 12.5"},
    Drawing{"file", "M 4 2.5 L 9.5 2.5 L 12 5 L 12 13.5 L 4 13.5 Z M 9.5 2.5 L 9.5 5 L 12 5"},
    Drawing{"folder",
        "M 2.5 4.5 L 2.5 12.5 L 13.5 12.5 L 13.5 5.5 L 8 5.5 L 6.5 3.5 L 2.5 3.5 L 2.5 4.5"},
    Drawing{"database",
        "M 3 4 L 5 2.7 L 11 2.7 L 13 4 L 13 12 L 11 13.3 L 5 13.3 L 3 12 Z M 3 4 L 5 5.3 L 11 5.3 "
        "L 13 4 M 3 8 L 5 9.3 L 11 9.3 L 13 8"},
    Drawing{"download",
        "M 8 2.5 L 8 10 M 4.8 7 L 8 10.2 L 11.2 7 M 2.5 11 L 2.5 13.5 L 13.5 13.5 L "
        "13.5 11"},
    Drawing{"export",
        "M 8 10 L 8 2.5 M 4.8 5.5 L 8 2.3 L 11.2 5.5 M 2.5 9.5 L 2.5 13.5 L 13.5 "
        "13.5 L 13.5 9.5"},
    Drawing{"info", "O 8 8 5.8 M 8 7.3 L 8 11.2 D 8 5.1 0.9"},
    Drawing{"warning", "M 8 2.5 L 14 13 L 2 13 Z M 8 6.3 L 8 9.6 D 8 11.3 0.8"},
    Drawing{"error", "O 8 8 5.8 M 8 4.6 L 8 8.8 D 8 11 0.9"},
    Drawing{"help",
        "O 8 8 5.8 M 6.2 6.4 L 6.6 5.3 L 8 4.7 L 9.4 5.3 L 9.8 6.4 L 9.2 7.4 L 8 8.2 "
        "L 8 9.2 D 8 11.2 0.8"},
    Drawing{"trash",
        "M 3 4.5 L 13 4.5 M 6 4.5 L 6 2.8 L 10 2.8 L 10 4.5 M 4.3 4.5 L 4.9 13.3 L "
        "11.1 13.3 L 11.7 4.5 M 6.8 7 L 6.8 11 M 9.2 7 L 9.2 11"},
    Drawing{"edit", "M 3 13 L 3.6 10.4 L 10.8 3.2 L 12.8 5.2 L 5.6 12.4 Z M 9.4 4.6 L 11.4 6.6"},
    Drawing{"copy",
        "M 5.5 5.5 L 13 5.5 L 13 13 L 5.5 13 Z M 10.5 5.5 L 10.5 3 L 3 3 L 3 10.5 L "
        "5.5 10.5"},
    Drawing{"undo",
        "M 6 3.5 L 3 6.5 L 6 9.5 M 3 6.5 L 10 6.5 L 12.4 7.6 L 13 9.5 L 12.4 11.4 L "
        "10 12.5 L 6.5 12.5"},
    Drawing{"redo",
        "M 10 3.5 L 13 6.5 L 10 9.5 M 13 6.5 L 6 6.5 L 3.6 7.6 L 3 9.5 L 3.6 11.4 L 6 "
        "12.5 L 9.5 12.5"},
    Drawing{"grip", "D 6 4 0.9 D 10 4 0.9 D 6 8 0.9 D 10 8 0.9 D 6 12 0.9 D 10 12 0.9"},
    Drawing{"more", "D 3.5 8 1.1 D 8 8 1.1 D 12.5 8 1.1"},
    Drawing{"arrowUp", "M 8 13 L 8 3 M 4.2 6.8 L 8 3 L 11.8 6.8"},
    Drawing{"arrowDown", "M 8 3 L 8 13 M 4.2 9.2 L 8 13 L 11.8 9.2"},
    Drawing{"fit",
        "M 2.5 5.5 L 2.5 2.5 L 5.5 2.5 M 10.5 2.5 L 13.5 2.5 L 13.5 5.5 M 13.5 10.5 L "
        "13.5 13.5 L 10.5 13.5 M 5.5 13.5 L 2.5 13.5 L 2.5 10.5"},
    Drawing{"flag", "M 4 13.5 L 4 2.5 L 12.5 2.5 L 10.5 5.5 L 12.5 8.5 L 4 8.5"},
    Drawing{"clock", "O 8 8 5.8 M 8 4.5 L 8 8 L 10.6 9.6"},
    Drawing{"chart", "M 2.5 2.5 L 2.5 13.5 L 13.5 13.5 M 4.8 10.5 L 7 7 L 9.2 9 L 12.8 4.2"},
    Drawing{"lines", "M 2.5 9.5 L 5 5 L 7.5 10 L 10 4 L 13.5 8.5"},
    Drawing{"band", "M 2.5 6.5 L 6 3.5 L 10 6 L 13.5 3.5 M 2.5 12.5 L 6 9.5 L 10 12 L 13.5 9.5"},
    Drawing{"heat",
        "M 2.5 3 L 13.5 3 L 13.5 13 L 2.5 13 Z M 2.5 6.3 L 13.5 6.3 M 2.5 9.7 L 13.5 "
        "9.7 M 6.2 3 L 6.2 13 M 9.8 3 L 9.8 13"},
    Drawing{"restore",
        "M 3 8 L 4.4 4.6 L 8 3 L 11.6 4.6 L 13 8 L 11.6 11.4 L 8 13 L 5 12 M 3 4 L "
        "3 8 L 6.6 8"},
};

QPointF pointOf(const QStringList& words, int index) {
    return {words.value(index + 1).toDouble(), words.value(index + 2).toDouble()};
}

struct Strokes {
    QPainterPath lines;
    QPainterPath dots;
};

Strokes parse(std::string_view text) {
    Strokes strokes;
    const auto words = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))
                           .split(QLatin1Char(' '));
    for (int i = 0; i < words.size(); ++i) {
        const auto& word = words[i];
        if (word == QLatin1String("M"))
            strokes.lines.moveTo(pointOf(words, i));
        else if (word == QLatin1String("L"))
            strokes.lines.lineTo(pointOf(words, i));
        else if (word == QLatin1String("Z"))
            strokes.lines.closeSubpath();
        else if (word == QLatin1String("O") || word == QLatin1String("D")) {
            const double radius = words.value(i + 3).toDouble();
            auto& path = word == QLatin1String("O") ? strokes.lines : strokes.dots;
            path.addEllipse(pointOf(words, i), radius, radius);
        }
    }
    return strokes;
}

} // namespace

Icon::Icon(QQuickItem* parent)
    : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    setImplicitSize(kGrid, kGrid);
    connect(this, &Icon::changed, this, [this] { update(); });
}

void Icon::paint(QPainter* painter) {
    const auto wanted = m_name.toStdString();
    const auto* found = std::find_if(kDrawings.begin(), kDrawings.end(),
        [&wanted](const Drawing& drawing) { return drawing.name == wanted; });
    if (found == kDrawings.end())
        return;
    const auto strokes = parse(found->strokes);
    const double scale = std::min(width(), height()) / kGrid;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->scale(scale, scale);
    painter->setPen(QPen(m_color, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(strokes.lines);
    painter->setPen(Qt::NoPen);
    painter->setBrush(m_color);
    painter->drawPath(strokes.dots);
}

} // namespace trainscope::app
