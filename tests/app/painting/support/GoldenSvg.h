#pragma once
// Scenes as SVG text that can be reviewed, compared with files. Text is measured with a fixed pitch
// and its font is taken out, so that a file does not depend on installed fonts. UPDATE_GOLDEN=1
// writes the files anew.

#include <QBuffer>
#include <QByteArray>
#include <QFile>
#include <QPainter>
#include <QRegularExpression>
#include <QString>
#include <QSvgGenerator>

#include "app/painting/ScenePainter.h"

namespace trainscope::test {

// 0.6 of the size a byte: wide enough that the installed font's text stays in its place.
inline plot::MeasureText goldenPitch(const plot::Theme& theme) {
    return [&theme](std::string_view text, plot::TextRole role, bool) {
        return 0.6 * theme.size(role) * static_cast<double>(text.size());
    };
}

inline QByteArray goldenSvg(
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
    return QString::fromUtf8(svg)
        .replace(kFamily, QStringLiteral("font-family=\"Inter\""))
        .toUtf8();
}

// Empty where `actual` is what the golden file holds; else what is to be said.
inline QString differenceFromGolden(const QString& name, const QByteArray& actual) {
    const QString golden = qEnvironmentVariable("TRAINSCOPE_SOURCE")
        + QStringLiteral("/tests/app/painting/golden/") + name + QStringLiteral(".svg");
    QFile file(golden);
    if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
        return file.open(QIODevice::WriteOnly) && file.write(actual) == actual.size()
            ? QString()
            : golden + QStringLiteral(" cannot be written");
    }
    if (!file.open(QIODevice::ReadOnly))
        return golden + QStringLiteral(" is missing");
    if (file.readAll() == actual)
        return {};
    const QString beside = qEnvironmentVariable("TRAINSCOPE_BINARY", QStringLiteral("."))
        + QLatin1Char('/') + name + QStringLiteral(".actual.svg");
    QFile other(beside);
    if (other.open(QIODevice::WriteOnly))
        other.write(actual);
    return QStringLiteral("Differs from %1; see %2").arg(golden, beside);
}

} // namespace trainscope::test
