#include "app/painting/support/Golden.h"

#include <QBuffer>
#include <QFile>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgGenerator>

#include "app/painting/ScenePainter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <type_traits>

namespace trainscope::test {

namespace {

// Tenths, without a zero behind the point.
QByteArray number(double value) {
    QByteArray text = QByteArray::number(value, 'f', 1);
    if (text.endsWith(".0"))
        text.chop(2);
    return text == "-0" ? QByteArray("0") : text;
}

QByteArray numbers(std::initializer_list<double> values) {
    QByteArray text;
    for (const double value : values)
        text += ' ' + number(value);
    return text;
}

QByteArray hex(plot::Color color) {
    const auto two = [](int value) { return QByteArray::number(value, 16).rightJustified(2, '0'); };
    return " #" + two(color.r) + two(color.g) + two(color.b)
        + (color.a == 255 ? QByteArray() : '/' + QByteArray::number(color.a));
}

QByteArray box(const plot::Rect& rect) {
    return numbers({rect.x, rect.y}) + " to" + numbers({rect.right(), rect.bottom()});
}

struct Mean {
    double sum = 0.0;
    int count = 0;
    void add(double value) {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return count == 0 ? 0.0 : sum / count; }
};

class SceneWriter {
public:
    SceneWriter(const plot::PlotScene& scene, const plot::MeasureText& measure)
        : m_scene(scene)
        , m_measure(measure) { }

    QByteArray operator()(const plot::FillRect& item) const {
        return "rect" + box(item.rect) + hex(item.fill)
            + (item.radius > 0.0 ? " radius" + numbers({item.radius}) : QByteArray())
            + (item.hatch == plot::Hatch::Diagonal ? " hatched" : "");
    }
    QByteArray operator()(const plot::Line& item) const {
        return "line" + numbers({item.from.x, item.from.y}) + " to"
            + numbers({item.to.x, item.to.y}) + hex(item.color) + " width" + numbers({item.width})
            + (item.dashed ? " dashed" : "");
    }
    QByteArray operator()(const plot::Polyline& item) const {
        return "polyline " + pointsText(item.points) + hex(item.color) + " width"
            + numbers({item.width});
    }
    QByteArray operator()(const plot::Columns& item) const {
        Mean top;
        Mean bottom;
        for (std::size_t i = 0; i < item.top.size(); ++i) {
            if (std::isnan(item.top[i]))
                continue;
            top.add(item.top[i]);
            bottom.add(item.bottom[i]);
        }
        return "columns" + box(item.area) + hex(item.color) + ": " + QByteArray::number(top.count)
            + " of " + QByteArray::number(static_cast<int>(item.top.size())) + ", mean"
            + numbers({top.value()}) + " to" + numbers({bottom.value()});
    }
    QByteArray operator()(const plot::HeatStrip& item) const {
        std::array<Mean, 3> mean;
        for (const auto& cell : item.cells) {
            if (cell.a == 0)
                continue;
            mean[0].add(cell.r);
            mean[1].add(cell.g);
            mean[2].add(cell.b);
        }
        return "heat" + box(item.area) + ": " + QByteArray::number(item.rows) + " rows of "
            + QByteArray::number(item.columns) + ", " + QByteArray::number(mean[0].count)
            + " known, mean rgb" + numbers({mean[0].value(), mean[1].value(), mean[2].value()});
    }
    QByteArray operator()(const plot::Bars& item) const {
        std::set<QByteArray> colors;
        double covered = 0.0;
        for (const auto& bar : item.bars) {
            colors.insert(hex(bar.color));
            covered += bar.right - bar.left;
        }
        QByteArray text = "bars" + box(item.area) + ": "
            + QByteArray::number(static_cast<int>(item.bars.size())) + ", together"
            + numbers({covered});
        for (const auto& color : colors)
            text += color;
        return text;
    }
    QByteArray operator()(const plot::Label& item) const {
        static constexpr std::array kRoles{"", " secondary", " small", " title"};
        const double width = m_measure(item.text, item.role, item.bold);
        const double shift = item.align == plot::Align::Left ? 0.0
            : item.align == plot::Align::Right               ? width
                                                             : width / 2.0;
        const double left = item.anchor.x - shift;
        const QByteArray place = item.rotation == 0.0
            ? numbers({left}) + " to" + numbers({left + width}) + " at" + numbers({item.anchor.y})
            : numbers({item.anchor.x, item.anchor.y}) + " turned" + numbers({item.rotation})
                + " width" + numbers({width});
        const bool inside = item.rotation != 0.0 || (left > -0.05 && left + width < m_scene.width);
        return "text" + place + hex(item.color) + kRoles[static_cast<std::size_t>(item.role)]
            + (item.bold ? " bold" : "") + " “" + QByteArray::fromStdString(item.text) + "”"
            + (inside ? "" : " LEAVES THE SCENE");
    }
    QByteArray operator()(const plot::Chart& item) const {
        QByteArray text = "chart" + box(item.area) + " grid" + hex(item.grid) + " width"
            + numbers({item.lineWidth}) + "\n  x" + axisText(item.x) + "\n  left"
            + axisText(item.left);
        if (item.right)
            text += "\n  right" + axisText(*item.right);
        for (std::size_t i = 0; i < item.bars.values.size(); ++i) {
            text += "\n  bars" + hex(item.bars.colors[i]) + " width" + numbers({item.bars.width})
                + (item.bars.stacked ? " stacked:" : ":");
            for (const double value : item.bars.values[i])
                text += ' ' + number(value);
        }
        for (const auto& curve : item.curves)
            text += "\n  curve" + hex(curve.color) + " width" + numbers({curve.width}) + " marker"
                + numbers({curve.marker}) + (curve.onRight ? " right: " : " left: ")
                + pointsText(curve.points);
        return text;
    }

private:
    // All points of a short line; the ends and the means of a long one.
    static QByteArray pointsText(const std::vector<plot::Point>& points) {
        constexpr std::size_t kMost = 12;
        QByteArray text;
        if (points.size() <= kMost) {
            for (const auto& point : points)
                text += (text.isEmpty() ? "" : " ") + number(point.x) + ',' + number(point.y);
            return text;
        }
        Mean x;
        Mean y;
        for (const auto& point : points) {
            x.add(point.x);
            y.add(point.y);
        }
        return QByteArray::number(static_cast<int>(points.size())) + " points from"
            + numbers({points.front().x, points.front().y}) + " to"
            + numbers({points.back().x, points.back().y}) + ", mean"
            + numbers({x.value(), y.value()});
    }
    static QByteArray axisText(const plot::ChartAxis& axis) {
        return numbers({axis.low}) + " to" + numbers({axis.high}) + (axis.log ? " log" : "")
            + (axis.gridStep > 0.0
                    ? " grid from" + numbers({axis.gridFrom}) + " by" + numbers({axis.gridStep})
                    : QByteArray());
    }

    const plot::PlotScene& m_scene;
    const plot::MeasureText& m_measure;
};

QString firstDifference(const QByteArray& golden, const QByteArray& actual) {
    const auto expected = golden.split('\n');
    const auto found = actual.split('\n');
    qsizetype line = 0;
    while (line < expected.size() && line < found.size() && expected[line] == found[line])
        ++line;
    return QStringLiteral("line %1 was\n  %2\nand is\n  %3")
        .arg(line + 1)
        .arg(QString::fromUtf8(expected.value(line)), QString::fromUtf8(found.value(line)));
}

} // namespace

plot::MeasureText goldenPitch(const plot::Theme& theme) {
    return [&theme](std::string_view text, plot::TextRole role, bool) {
        return 0.6 * theme.size(role) * static_cast<double>(text.size());
    };
}

QByteArray sceneText(const plot::PlotScene& scene, const plot::MeasureText& measure) {
    QByteArray text = "scene" + numbers({scene.width, scene.height}) + hex(scene.background) + '\n';
    const SceneWriter writer(scene, measure);
    for (const auto& item : scene.items)
        text += std::visit(writer, item) + '\n';
    return text;
}

QByteArray sceneSvg(
    plot::PlotScene scene, const plot::Theme& theme, const plot::MeasureText& measure) {
    for (auto& item : scene.items) {
        // Other alignments are placed by the width of the installed font.
        if (auto* label = std::get_if<plot::Label>(&item); label && label->rotation == 0.0) {
            const double width = measure(label->text, label->role, label->bold);
            label->anchor.x -= label->align == plot::Align::Right ? width : 0.0;
            label->anchor.x -= label->align == plot::Align::Centre ? width / 2.0 : 0.0;
            label->align = plot::Align::Left;
        }
    }
    QByteArray svg;
    QBuffer buffer(&svg);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(72);
    generator.setSize(QSize(static_cast<int>(scene.width), static_cast<int>(scene.height) + 1));
    generator.setViewBox(QRectF(0.0, 0.0, scene.width, scene.height));
    QPainter painter(&generator);
    app::paintScene(scene, theme, painter, app::PaintTarget::Vector);
    painter.end();
    static const QRegularExpression kFamily(QStringLiteral("font-family=\"[^\"]*\""));
    // Qt opens a group for each change of its state, whether something is drawn with it or not.
    static const QRegularExpression kEmpty(QStringLiteral("<g [^>]*>\\s*</g>\\s*"));
    return QString::fromUtf8(svg)
        .replace(kFamily, QStringLiteral("font-family=\"Inter\""))
        .remove(kEmpty)
        .replace(QStringLiteral("\"  version"), QStringLiteral("\" version")) // Qt 6.4's
        .toUtf8();
}

QString differenceFromGolden(const QString& fileName, const QByteArray& actual) {
    const QString golden = qEnvironmentVariable("TRAINSCOPE_SOURCE")
        + QStringLiteral("/tests/app/painting/golden/") + fileName;
    QFile file(golden);
    if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
        return file.open(QIODevice::WriteOnly) && file.write(actual) == actual.size()
            ? QString()
            : golden + QStringLiteral(" cannot be written");
    }
    const bool isThere = file.open(QIODevice::ReadOnly);
    const QByteArray expected = isThere ? file.readAll() : QByteArray();
    if (isThere && expected == actual)
        return {};
    const QString beside = qEnvironmentVariable("TRAINSCOPE_BINARY", QStringLiteral("."))
        + QLatin1Char('/') + fileName + QStringLiteral(".actual");
    QFile other(beside);
    if (other.open(QIODevice::WriteOnly))
        other.write(actual);
    if (!isThere)
        return QStringLiteral("%1 is missing; see %2").arg(golden, beside);
    return QStringLiteral("Differs from %1; see %2\n%3")
        .arg(golden, beside, firstDifference(expected, actual));
}

} // namespace trainscope::test
