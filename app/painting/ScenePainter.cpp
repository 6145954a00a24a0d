#include "app/painting/ScenePainter.h"

#include "app/painting/ChartPainter.h"
#include "app/painting/DenseImages.h"
#include "core/plot/SceneParts.h"
#include "core/text/NumberMarks.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QStaticText>
#include <QString>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace trainscope::app {

namespace {

// Widths are taken from a large font: at 7 pixels Qt would give them in steps.
constexpr int kMeasureSize = 256;

// Inter where installed, else what the desktop reads its own text in.
const QString& familyName() {
    static const QString family = [] {
        const QString inter = QStringLiteral("Inter");
        return QFontDatabase::families().contains(inter)
            ? inter
            : QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    }();
    return family;
}

QFont makeFont(int pixelSize, bool bold) {
    QFont font(familyName());
    font.setPixelSize(pixelSize);
    font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    // Each character by its own glyph, as texts are measured and as they stand in SVG: Inter would
    // write 256x128 with a wider cross, -> as one arrow, and in its later versions brackets beside
    // figures by glyphs of which a PDF does not say the character.
    font.setStyleStrategy(
        static_cast<QFont::StyleStrategy>(QFont::PreferAntialias | QFont::PreferNoShaping));
    font.setKerning(false);
    return font;
}

// Advances at a size of 1, readable by every thread. A timeline measures thousands of kernel names
// a frame, and shaping each would take longer than drawing them; so plain ASCII is summed up by
// character, without kerning.
class Advances {
public:
    explicit Advances(bool bold)
        : m_bold(bold) {
        const QFontMetricsF metrics(makeFont(kMeasureSize, bold));
        for (std::size_t i = 0; i < m_ascii.size(); ++i)
            m_ascii[i] = metrics.horizontalAdvance(QChar(static_cast<char16_t>(i + kFirst)))
                / kMeasureSize;
    }
    [[nodiscard]] double width(std::string_view text) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text.substr(i).starts_with(text::kWordJoiner)) {
                i += text::kWordJoiner.size() - 1;
                continue;
            }
            const auto code = static_cast<unsigned char>(text[i]);
            if (code < kFirst || code >= kFirst + m_ascii.size())
                return shaped(text);
            sum += m_ascii[code - kFirst];
        }
        return sum;
    }

private:
    static constexpr std::size_t kFirst = 0x20;

    [[nodiscard]] double shaped(std::string_view text) const {
        const auto length = static_cast<qsizetype>(text.size());
        const QFontMetricsF metrics(makeFont(kMeasureSize, m_bold));
        return metrics.horizontalAdvance(QString::fromUtf8(text.data(), length)) / kMeasureSize;
    }

    bool m_bold;
    std::array<double, 0x7F - 0x20> m_ascii{};
};

// Several screens full; then it starts anew.
constexpr std::size_t kMostTexts = 4096;

struct Texts {
    QFont font;
    double ascent = 0.0;
    std::unordered_map<std::string, QStaticText> texts;
};

Texts& textsOf(const QFont& font) {
    thread_local std::unordered_map<int, Texts> all;
    Texts& texts = all[2 * font.pixelSize() + (font.bold() ? 1 : 0)];
    if (texts.texts.empty() || texts.font != font)
        texts = {font, QFontMetricsF(font).ascent(), {}};
    return texts;
}

constexpr double kOverlap = 0.25;

// Adds one edge of an outline, without points in the middle of a level stretch.
void addEdge(QPainterPath& path, const std::vector<QPointF>& points, bool isFirst) {
    const auto isLevel
        = [](QPointF a, QPointF b) { return qFuzzyCompare(a.y() + 1.0, b.y() + 1.0); };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool isInside = i > 0 && i + 1 < points.size();
        if (isInside && isLevel(points[i - 1], points[i]) && isLevel(points[i], points[i + 1]))
            continue;
        if (isFirst && i == 0)
            path.moveTo(points[i]);
        else
            path.lineTo(points[i]);
    }
}

// The outline of the columns [first, last): steps at their edges, or slopes between their middles.
void addStretch(
    QPainterPath& path, const plot::Columns& columns, std::size_t first, std::size_t last) {
    const double step = columns.area.width / static_cast<double>(columns.top.size());
    const auto xOf = [&](double column) { return columns.area.x + step * column; };
    std::vector<QPointF> top;
    std::vector<QPointF> bottom;
    const auto add = [&](double column, std::size_t of) {
        top.emplace_back(xOf(column), columns.top[of]);
        bottom.emplace_back(xOf(column), columns.bottom[of]);
    };
    for (std::size_t i = first; i < last; ++i) {
        const auto left = static_cast<double>(i);
        if (!columns.isSloped || i == first)
            add(left, i);
        if (columns.isSloped)
            add(left + 0.5, i);
        if (!columns.isSloped || i + 1 == last)
            add(left + 1.0, i);
    }
    std::ranges::reverse(bottom);
    addEdge(path, top, true);
    addEdge(path, bottom, false);
    path.closeSubpath();
}

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

QFont themeFont(const plot::Theme& theme, plot::TextRole role, bool bold) {
    return makeFont(static_cast<int>(std::lround(theme.size(role))), bold);
}

plot::MeasureText measureWith(const plot::Theme& theme) {
    static const Advances regular(false);
    static const Advances bold(true);
    return [theme](std::string_view text, plot::TextRole role, bool isBold) {
        return (isBold ? bold : regular).width(text) * theme.size(role);
    };
}

void drawCachedText(
    QPainter& painter, const QFont& font, QPointF baseline, const std::string& utf8) {
    Texts& known = textsOf(font);
    auto found = known.texts.find(utf8);
    if (found == known.texts.end()) {
        if (known.texts.size() >= kMostTexts)
            known.texts.clear();
        QStaticText text(QString::fromStdString(utf8));
        text.setTextFormat(Qt::PlainText);
        text.setPerformanceHint(QStaticText::AggressiveCaching);
        text.prepare(painter.transform(), font);
        found = known.texts.emplace(utf8, std::move(text)).first;
    }
    painter.drawStaticText(baseline - QPointF(0.0, known.ascent), found->second);
}

QPainterPath columnsPath(const plot::Columns& columns) {
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    const std::size_t count = columns.top.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (std::isnan(columns.top[i]))
            continue;
        std::size_t end = i + 1;
        while (end < count && !std::isnan(columns.top[end]))
            ++end;
        addStretch(path, columns, i, end);
        i = end;
    }
    return path;
}

std::vector<ColoredRect> mergedCells(const plot::HeatStrip& strip) {
    std::vector<ColoredRect> rects;
    const auto columns = static_cast<std::size_t>(strip.columns);
    const double width = strip.area.width / strip.columns;
    const double height = strip.area.height / strip.rows;
    for (int row = 0; row < strip.rows; ++row) {
        const auto* cells = strip.cells.data() + static_cast<std::size_t>(row) * columns;
        const double below = row + 1 < strip.rows ? std::min(kOverlap, height / 2.0) : 0.0;
        for (std::size_t i = 0; i < columns;) {
            std::size_t end = i + 1;
            while (end < columns && cells[end] == cells[i])
                ++end;
            const double beside
                = end < columns && cells[end].a > 0 ? std::min(kOverlap, width) : 0.0;
            if (cells[i].a > 0)
                rects.push_back(
                    {{strip.area.x + width * static_cast<double>(i), strip.area.y + height * row,
                         width * static_cast<double>(end - i) + beside, height + below},
                        cells[i]});
            i = end;
        }
    }
    return rects;
}

std::vector<std::pair<plot::Point, plot::Point>> hatchLines(
    const plot::Rect& rect, double spacing) {
    std::vector<std::pair<plot::Point, plot::Point>> lines;
    // Each line is x + y = sum; the sums are multiples of the spacing, so that neighbouring hatches
    // meet.
    const double first = std::ceil((rect.x + rect.y) / spacing) * spacing;
    for (double sum = first; sum < rect.right() + rect.bottom(); sum += spacing) {
        const double x0 = std::max(rect.x, sum - rect.bottom());
        const double x1 = std::min(rect.right(), sum - rect.y);
        if (x1 > x0)
            lines.push_back({{x0, sum - x0}, {x1, sum - x1}});
    }
    return lines;
}

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
