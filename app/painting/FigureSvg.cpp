#include "app/painting/FigureWriters.h"
#include "app/painting/FontSubset.h"
#include "app/painting/InlineSvg.h"
#include "app/painting/ScenePainter.h"

#include <QBuffer>
#include <QRawFont>
#include <QSvgGenerator>

#include <cmath>
#include <span>

namespace trainscope::app {

namespace {

void addCharacters(const plot::PlotScene& scene, bool bold, QString& characters) {
    for (const auto& item : scene.items) {
        const auto* label = std::get_if<plot::Label>(&item);
        if (label != nullptr && label->bold == bold)
            characters += QString::fromStdString(label->text);
    }
}

// @font-face rules for the text that the scenes have.
QByteArray fontFaces(
    std::span<const plot::PlotScene> scenes, const plot::Theme& theme, QStringList& warnings) {
    QByteArray css;
    for (const bool bold : {false, true}) {
        QString characters;
        for (const auto& scene : scenes)
            addCharacters(scene, bold, characters);
        if (characters.isEmpty())
            continue;
        const QFont font = themeFont(theme, plot::TextRole::Body, bold);
        const auto subset = subsetFont(QRawFont::fromFont(font), characters);
        if (!subset.hasValue()) {
            warnings.append(QString::fromStdString(subset.error().describe()));
            return {};
        }
        css += "@font-face{font-family:'" + font.family().toUtf8()
            + "';font-weight:" + (bold ? "600" : "400") + ";src:url(data:font/ttf;base64,"
            + subset.value().toBase64() + ") format('truetype');}\n";
    }
    return css;
}

QByteArray escaped(const QString& text) {
    return text.toHtmlEscaped().toUtf8();
}

// Dublin Core in RDF, as SVG editors read and write it.
QByteArray metadataElement(const FigureMetadata& metadata) {
    QByteArray out
        = "<metadata>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
          "xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<rdf:Description rdf:about=\"\">\n";
    out += "<dc:title>" + escaped(metadata.title) + "</dc:title>\n";
    out += "<dc:creator>" + escaped(creatorText()) + "</dc:creator>\n";
    for (const auto& hash : metadata.sourceHashes)
        out += "<dc:source>" + escaped(QString::fromStdString(hash)) + "</dc:source>\n";
    return out + "</rdf:Description>\n</rdf:RDF>\n</metadata>\n";
}

QByteArray millimetres(double points) {
    return QByteArray::number(points * kMmPerPoint, 'f', 3) + "mm";
}

struct SvgParts {
    QByteArray prologue; // before the root element
    QByteArray body; // of the root element, with its end
};

Result<SvgParts> drawSvg(const plot::PlotScene& scene, const plot::Theme& theme) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(72);
    generator.setSize(
        QSize(static_cast<int>(std::ceil(scene.width)), static_cast<int>(std::ceil(scene.height))));
    generator.setViewBox(QRectF(0.0, 0.0, scene.width, scene.height));
    QPainter painter;
    if (!painter.begin(&generator))
        return Error{
            ErrorCode::Io, "The SVG could not be started; the figure may be too large.", {}};
    paintScene(scene, theme, painter, PaintTarget::Vector);
    painter.end();
    const qsizetype start = bytes.indexOf("<svg ");
    const qsizetype end = bytes.indexOf('>', start);
    const qsizetype body = bytes.indexOf("<defs>", end);
    if (start < 0 || end < 0 || body < 0)
        return Error{ErrorCode::Internal,
            "The SVG writer gave an unexpected file; export as PDF instead.", {}};
    return SvgParts{bytes.left(start), bytes.mid(body)};
}

QByteArray viewBox(const plot::PlotScene& scene) {
    return " viewBox=\"0 0 " + QByteArray::number(scene.width, 'f', 3) + ' '
        + QByteArray::number(scene.height, 'f', 3) + "\"";
}

// A root element in true millimetres in place of Qt's, whose size is in whole pixels.
QByteArray headOf(const FigureJob& job, const QByteArray& css) {
    QByteArray head = "<svg width=\"" + millimetres(job.scene.width) + "\" height=\""
        + millimetres(job.scene.height) + "\"" + viewBox(job.scene)
        + " xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
          "version=\"1.1\">\n";
    head += "<title>" + escaped(job.options.metadata.title) + "</title>\n";
    head += metadataElement(job.options.metadata);
    if (!css.isEmpty())
        head += "<style>\n" + css + "</style>\n";
    return head;
}

} // namespace

Result<EncodedFigure> encodeSvg(const FigureJob& job) {
    auto parts = drawSvg(job.scene, job.theme);
    if (!parts.hasValue())
        return parts.error();
    EncodedFigure figure;
    const QByteArray css = fontFaces({&job.scene, 1}, job.theme, figure.warnings);
    figure.bytes = parts.value().prologue + headOf(job, css) + parts.value().body;
    return figure;
}

Result<QByteArray> inlineSvg(const plot::PlotScene& scene, const plot::Theme& theme) {
    auto parts = drawSvg(scene, theme);
    if (!parts.hasValue())
        return parts.error();
    return "<svg" + viewBox(scene) + " xmlns=\"http://www.w3.org/2000/svg\">\n"
        + parts.value().body;
}

QByteArray inlineFonts(const std::vector<plot::PlotScene>& scenes, const plot::Theme& theme) {
    QStringList warnings; // without the font the reader's own is used
    return fontFaces(scenes, theme, warnings);
}

} // namespace trainscope::app
