#include "app/painting/FigureWriters.h"
#include "app/painting/FontSubset.h"
#include "app/painting/ScenePainter.h"

#include <QBuffer>
#include <QRawFont>
#include <QSvgGenerator>

#include <cmath>

namespace trainscope::app {

namespace {

QString charactersOf(const plot::PlotScene& scene, bool bold) {
    QString characters;
    for (const auto& item : scene.items) {
        const auto* label = std::get_if<plot::Label>(&item);
        if (label != nullptr && label->bold == bold)
            characters += QString::fromStdString(label->text);
    }
    return characters;
}

// @font-face rules for the text that the figure has.
QByteArray fontFaces(const FigureJob& job, QStringList& warnings) {
    QByteArray css;
    for (const bool bold : {false, true}) {
        const QString characters = charactersOf(job.scene, bold);
        if (characters.isEmpty())
            continue;
        const QFont font = themeFont(job.theme, plot::TextRole::Body, bold);
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

// Replaces Qt's root element, whose size is in whole pixels, by one in true millimetres.
Result<QByteArray> withTrueHead(
    const QByteArray& svg, const FigureJob& job, const QByteArray& css) {
    const qsizetype start = svg.indexOf("<svg ");
    const qsizetype end = svg.indexOf('>', start);
    const qsizetype body = svg.indexOf("<defs>", end);
    if (start < 0 || end < 0 || body < 0)
        return Error{ErrorCode::Internal,
            "The SVG writer gave an unexpected file; export as PDF instead.", {}};
    QByteArray head = svg.left(start) + "<svg width=\"" + millimetres(job.scene.width)
        + "\" height=\"" + millimetres(job.scene.height) + "\" viewBox=\"0 0 "
        + QByteArray::number(job.scene.width, 'f', 3) + ' '
        + QByteArray::number(job.scene.height, 'f', 3)
        + "\" xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
          "version=\"1.1\">\n";
    head += "<title>" + escaped(job.options.metadata.title) + "</title>\n";
    head += metadataElement(job.options.metadata);
    if (!css.isEmpty())
        head += "<style>\n" + css + "</style>\n";
    return head + svg.mid(body);
}

} // namespace

Result<EncodedFigure> encodeSvg(const FigureJob& job) {
    EncodedFigure figure;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(72);
    generator.setSize(QSize(static_cast<int>(std::ceil(job.scene.width)),
        static_cast<int>(std::ceil(job.scene.height))));
    generator.setViewBox(QRectF(0.0, 0.0, job.scene.width, job.scene.height));
    QPainter painter;
    if (!painter.begin(&generator))
        return Error{
            ErrorCode::Io, "The SVG could not be started; the figure may be too large.", {}};
    paintScene(job.scene, job.theme, painter, PaintTarget::Vector);
    painter.end();
    auto whole = withTrueHead(bytes, job, fontFaces(job, figure.warnings));
    if (!whole.hasValue())
        return whole.error();
    figure.bytes = std::move(whole).value();
    return figure;
}

} // namespace trainscope::app
