#include "app/painting/ScenePainter.h"

#include "app/painting/ChartPainter.h"
#include "app/painting/DenseImages.h"
#include "app/painting/VectorShapes.h"
#include "core/plot/SceneParts.h"

#include <algorithm>
#include <array>
#include <memory>

namespace trainscope::app {

namespace {

constexpr double kHatchSpacing = 6.0; // in line widths
// Smooth lines cost as many times more as they have points; beyond this nobody sees the difference.
constexpr std::size_t kMostSmoothPoints = 600;

class Replay {
public:
    Replay(const plot::Theme& theme, QPainter& painter, PaintTarget target, PaintCache* cache)
        : m_painter(painter)
        , m_target(target)
        , m_cache(cache)
        , m_measure(measureWith(theme))
        , m_hatch(kHatchSpacing * std::max(theme.lineWidth, 0.5))
        , m_lineWidth(theme.lineWidth)
        , m_ratio(painter.device()->devicePixelRatioF()) {
        for (std::size_t i = 0; i < m_fonts.size(); ++i)
            m_fonts[i] = themeFont(theme, static_cast<plot::TextRole>(i / 2), i % 2 == 1);
    }

    void operator()(const plot::FillRect& item) {
        finishDense();
        if (item.hatch == plot::Hatch::Diagonal) {
            hatch(item);
            return;
        }
        if (item.radius <= 0.0) {
            fill(item.rect, item.fill);
            return;
        }
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(toQt(item.fill));
        m_painter.drawRoundedRect(toQt(item.rect), item.radius, item.radius);
        m_painter.setRenderHint(QPainter::Antialiasing, isVector());
    }

    void operator()(const plot::Line& item) {
        finishDense();
        QPen pen(toQt(item.color), item.width);
        pen.setCapStyle(Qt::FlatCap);
        if (item.dashed)
            pen.setDashPattern({3.0, 3.0});
        m_painter.setPen(pen);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawLine(toQt(item.from), toQt(item.to));
    }

    void operator()(const plot::Polyline& item) {
        finishDense();
        QPolygonF points;
        points.reserve(static_cast<qsizetype>(item.points.size()));
        for (const auto& point : item.points)
            points.append(toQt(point));
        QPen pen(toQt(item.color), item.width);
        pen.setJoinStyle(Qt::BevelJoin);
        m_painter.setPen(pen);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setRenderHint(
            QPainter::Antialiasing, isVector() || item.points.size() < kMostSmoothPoints);
        m_painter.drawPolyline(points);
        m_painter.setRenderHint(QPainter::Antialiasing, isVector());
    }

    void operator()(const plot::Columns& item) {
        if (item.top.empty())
            return;
        if (isVector()) {
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(toQt(item.color));
            m_painter.drawPath(columnsPath(item));
            return;
        }
        if (m_columns && !m_columns->fits(item))
            finishDense();
        if (!m_columns) {
            finishDense();
            m_columns = std::make_unique<ColumnsImage>(item, m_ratio);
        }
        m_columns->add(item);
    }

    void operator()(const plot::Bars& item) {
        if (isVector()) {
            for (const auto& bar : item.bars)
                fill(placeOf(bar, item.area), bar.color);
            return;
        }
        if (m_bars && !m_bars->fits(item))
            finishDense();
        if (!m_bars) {
            finishDense();
            m_bars = std::make_unique<BarsImage>(item.area, m_ratio);
        }
        m_bars->add(item);
    }

    void operator()(const plot::HeatStrip& item) {
        finishDense();
        if (item.rows <= 0 || item.columns <= 0)
            return;
        if (isVector()) {
            for (const auto& cell : mergedCells(item))
                fill(cell.rect, cell.color);
            return;
        }
        QImage image(item.columns, item.rows, QImage::Format_ARGB32);
        for (int row = 0; row < item.rows; ++row) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
            const auto* cells = item.cells.data()
                + static_cast<std::size_t>(row) * static_cast<std::size_t>(item.columns);
            std::transform(cells, cells + item.columns, line,
                [](plot::Color c) { return qRgba(c.r, c.g, c.b, c.a); });
        }
        m_painter.drawImage(toQt(item.area), image);
    }

    void operator()(const plot::Label& item) {
        finishDense();
        const double width
            = item.align == plot::Align::Left ? 0.0 : m_measure(item.text, item.role, item.bold);
        const double shift = item.align == plot::Align::Right ? -width : -width / 2.0;
        const QFont& font = m_fonts[static_cast<std::size_t>(item.role) * 2 + (item.bold ? 1 : 0)];
        m_painter.setFont(font);
        m_painter.setPen(toQt(item.color));
        m_painter.setBrush(Qt::NoBrush);
        if (item.rotation == 0.0 && !isVector())
            return drawCachedText(
                m_painter, font, {item.anchor.x + shift, item.anchor.y}, item.text);
        const QString text = QString::fromStdString(item.text);
        if (item.rotation == 0.0) {
            m_painter.drawText(QPointF(item.anchor.x + shift, item.anchor.y), text);
            return;
        }
        m_painter.save();
        m_painter.translate(toQt(item.anchor));
        m_painter.rotate(item.rotation);
        m_painter.drawText(QPointF(shift, 0.0), text);
        m_painter.restore();
    }

    void operator()(const plot::Chart& item) {
        finishDense();
        paintChart(item, m_painter);
    }

    void finishDense() {
        if (m_columns)
            m_painter.drawImage(m_columns->position(),
                m_cache != nullptr ? m_columns->image(*m_cache) : m_columns->image());
        if (m_bars)
            m_painter.drawImage(m_bars->position(), m_bars->image());
        m_columns.reset();
        m_bars.reset();
    }

private:
    [[nodiscard]] bool isVector() const { return m_target == PaintTarget::Vector; }

    void fill(const plot::Rect& rect, plot::Color color) {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(toQt(color));
        if (isVector())
            m_painter.drawRect(toQt(rect));
        else
            m_painter.fillRect(toQt(rect), toQt(color));
    }

    void hatch(const plot::FillRect& item) {
        QPen pen(toQt(item.fill), m_lineWidth);
        pen.setCapStyle(Qt::FlatCap);
        m_painter.setPen(pen);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        for (const auto& [from, to] : hatchLines(item.rect, m_hatch))
            m_painter.drawLine(toQt(from), toQt(to));
        m_painter.setRenderHint(QPainter::Antialiasing, isVector());
    }

    QPainter& m_painter;
    PaintTarget m_target;
    PaintCache* m_cache;
    plot::MeasureText m_measure;
    double m_hatch;
    double m_lineWidth;
    double m_ratio;
    std::array<QFont, 8> m_fonts;
    std::unique_ptr<ColumnsImage> m_columns;
    std::unique_ptr<BarsImage> m_bars;
};

} // namespace

void paintScene(const plot::PlotScene& scene, const plot::Theme& theme, QPainter& painter,
    PaintTarget target, PaintCache* cache) {
    const bool vector = target == PaintTarget::Vector;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    painter.setBrush(toQt(scene.background));
    painter.drawRect(QRectF(0.0, 0.0, scene.width, scene.height));
    painter.setRenderHint(QPainter::Antialiasing, vector);
    Replay replay(theme, painter, target, cache);
    for (const auto& item : scene.items)
        std::visit(replay, item);
    replay.finishDense();
    if (cache != nullptr)
        cache->endScene();
}

} // namespace trainscope::app
