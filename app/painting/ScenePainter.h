#pragma once
// Replays a PlotScene with a QPainter: the one drawing path for the screen, PNG, PDF and SVG.

#include "core/plot/Theme.h"

#include <QColor>
#include <QFont>
#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <QPointF>

#include <unordered_map>

namespace trainscope::app {

// The texts of scenes: their fonts, how wide they are, and drawing them again and again.

// The font of a role: Inter where installed, in the size that the theme gives.
QFont themeFont(const plot::Theme& theme, plot::TextRole role, bool bold);
// Widths of texts in these fonts, for what lays out scenes.
plot::MeasureText measureWith(const plot::Theme& theme);

// Draws a short text on the screen, shaped once: a timeline draws the same names frame after frame.
// `baseline` is the left end of the text's baseline; `font` is the painter's. Shaped texts are
// cached by each thread, some thousand of them.
void drawCachedText(
    QPainter& painter, const QFont& font, QPointF baseline, const std::string& utf8);

// Dense items as shapes for vector files, small enough to be read by everything that opens a
// figure.

// One closed outline per unbroken stretch of columns.
QPainterPath columnsPath(const plot::Columns& columns);

struct ColoredRect {
    plot::Rect rect;
    plot::Color color;
};
// Equal neighbours of a row merged. Rectangles reach a little under their right and lower
// neighbours, which are painted later, because viewers show a seam between shapes that only touch.
std::vector<ColoredRect> mergedCells(const plot::HeatStrip& strip);

// Diagonal lines of a hatch, cut at the rectangle's edges.
std::vector<std::pair<plot::Point, plot::Point>> hatchLines(const plot::Rect& rect, double spacing);

// Screen: dense items go straight into images. Vector: everything is a path or a text.
enum class PaintTarget { Screen, Vector };

// Pictures of dense columns that later scenes show again, moved: while a view is panned only what
// comes into sight is filled. Belongs to one view; one thread.
class PaintCache {
public:
    struct Picture {
        QImage image;
        std::int64_t firstColumn = 0;
        std::size_t series = 0;
        bool used = false;
    };

    // The picture of that content (plot::Columns), empty at first; of 0 one that is not kept.
    Picture& picture(std::uint64_t content) {
        if (content == 0) {
            m_passing = {};
            return m_passing;
        }
        Picture& picture = m_pictures[content];
        picture.used = true;
        return picture;
    }
    // Call after each scene: drops what it did not show.
    void endScene() {
        std::erase_if(m_pictures, [](const auto& entry) { return !entry.second.used; });
        for (auto& entry : m_pictures)
            entry.second.used = false;
        m_passing = {};
    }

private:
    std::unordered_map<std::uint64_t, Picture> m_pictures;
    Picture m_passing;
};

inline QColor toQt(plot::Color color) {
    return QColor(color.r, color.g, color.b, color.a);
}
inline QRectF toQt(const plot::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}
inline QPointF toQt(plot::Point point) {
    return {point.x, point.y};
}

// A view that paints scene after scene hands its cache in.
void paintScene(const plot::PlotScene& scene, const plot::Theme& theme, QPainter& painter,
    PaintTarget target, PaintCache* cache = nullptr);

} // namespace trainscope::app
