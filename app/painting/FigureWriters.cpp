#include "app/painting/FigureWriters.h"

#include "app/painting/PdfFile.h"
#include "app/painting/ScenePainter.h"

#include <QBuffer>
#include <QSvgGenerator>

#include <hb-subset.h>

#include <cmath>

namespace trainscope::app {

namespace {

template <auto Destroy>
struct Destroyer {
    template <typename T>
    void operator()(T* object) const {
        Destroy(object);
    }
};
using Face = std::unique_ptr<hb_face_t, Destroyer<hb_face_destroy>>;
using Blob = std::unique_ptr<hb_blob_t, Destroyer<hb_blob_destroy>>;
using Input = std::unique_ptr<hb_subset_input_t, Destroyer<hb_subset_input_destroy>>;

constexpr hb_tag_t kLayoutTables[] = {HB_TAG('G', 'D', 'E', 'F'), HB_TAG('G', 'P', 'O', 'S'),
    HB_TAG('G', 'S', 'U', 'B'), HB_TAG('k', 'e', 'r', 'n')};
// Family, style, full name and PostScript name.
constexpr hb_codepoint_t kNames[] = {1, 2, 4, 6};

// Bit 1 of OS/2 fsType: no embedding without the owner's permission.
bool forbidsEmbedding(const QRawFont& font) {
    const QByteArray table = font.fontTable("OS/2");
    constexpr qsizetype kFsTypeLow = 9;
    return table.size() > kFsTypeLow
        && (static_cast<unsigned char>(table[kFsTypeLow]) & 0x02U) != 0;
}

hb_blob_t* tableOf(hb_face_t*, hb_tag_t tag, void* font) {
    char name[5] = {};
    hb_tag_to_string(tag, name);
    const QByteArray table = static_cast<const QRawFont*>(font)->fontTable(name);
    return hb_blob_create(table.constData(), static_cast<unsigned>(table.size()),
        HB_MEMORY_MODE_DUPLICATE, nullptr, nullptr);
}

Input inputOf(const QString& characters) {
    Input input(hb_subset_input_create_or_fail());
    if (!input)
        return input;
    hb_subset_input_set_flags(
        input.get(), HB_SUBSET_FLAGS_NO_HINTING | HB_SUBSET_FLAGS_DESUBROUTINIZE);
    for (const uint character : characters.toUcs4())
        hb_set_add(hb_subset_input_unicode_set(input.get()), character);
    for (const hb_tag_t table : kLayoutTables)
        hb_set_add(hb_subset_input_set(input.get(), HB_SUBSET_SETS_DROP_TABLE_TAG), table);
    hb_set_t* names = hb_subset_input_set(input.get(), HB_SUBSET_SETS_NAME_ID);
    hb_set_clear(names);
    for (const hb_codepoint_t name : kNames)
        hb_set_add(names, name);
    return input;
}

// 40,000 × 40,000 is beyond what viewers open, and 6 GB.
constexpr double kMostPixels = 4.0e8;

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
            + "';font-weight:" + (bold ? "600" : "400") + ";src:url(data:font/otf;base64,"
            + subset.value().toBase64() + ") format('opentype');}\n";
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
    QByteArray body; // content of the root element, with its end
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

Result<QByteArray> subsetFont(const QRawFont& font, const QString& characters) {
    if (!font.isValid())
        return Error{ErrorCode::NotFound, "The font of the figure's text is not installed.", {}};
    const std::string name = font.familyName().toStdString();
    if (forbidsEmbedding(font))
        return Error{ErrorCode::Refused,
            "The font " + name
                + " may not be embedded; install Inter (Debian: fonts-inter) for text that looks "
                  "the same everywhere.",
            {}};
    QRawFont source = font;
    const Face face(hb_face_create_for_tables(tableOf, &source, nullptr));
    const Input input = inputOf(characters);
    const Face subset(input ? hb_subset_or_fail(face.get(), input.get()) : nullptr);
    if (!subset)
        return Error{ErrorCode::Internal,
            "The font " + name + " could not be embedded; export as PDF instead.", {}};
    const Blob blob(hb_face_reference_blob(subset.get()));
    unsigned length = 0;
    const char* bytes = hb_blob_get_data(blob.get(), &length);
    return QByteArray(bytes, static_cast<qsizetype>(length));
}

Result<EncodedFigure> encodePng(const FigureJob& job) {
    const double scale = job.options.pngDpi / 72.0;
    const double width = std::round(job.scene.width * scale);
    const double height = std::round(job.scene.height * scale);
    if (!(width >= 1.0) || !(height >= 1.0) || width * height > kMostPixels)
        return Error{ErrorCode::Usage,
            "The picture would have more than 400 million pixels, or none; choose another size or "
            "resolution.",
            {}};
    QImage image(static_cast<int>(width), static_cast<int>(height), QImage::Format_RGB32);
    if (image.isNull())
        return Error{ErrorCode::Io, "There is not enough memory for a picture of this size.", {}};
    image.setDotsPerMeterX(static_cast<int>(std::lround(job.options.pngDpi / 0.0254)));
    image.setDotsPerMeterY(static_cast<int>(std::lround(job.options.pngDpi / 0.0254)));
    image.setText(QStringLiteral("Title"), job.options.metadata.title);
    image.setText(QStringLiteral("Software"), creatorText());
    const QString sources = sourcesText(job.options.metadata);
    if (!sources.isEmpty())
        image.setText(QStringLiteral("Source"), sources);
    QPainter painter(&image);
    painter.scale(width / job.scene.width, height / job.scene.height);
    paintScene(job.scene, job.theme, painter, PaintTarget::Vector);
    painter.end();
    EncodedFigure figure;
    QBuffer buffer(&figure.bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        return Error{ErrorCode::Io, "The picture could not be encoded as PNG.", {}};
    return figure;
}

Result<EncodedFigure> encodePdf(const std::vector<plot::PlotScene>& pages, const plot::Theme& theme,
    const FigureOptions& options) {
    const QString sources = sourcesText(options.metadata);
    auto bytes
        = paintPdf({pages.front().width, pages.front().height, options.metadata.title, sources,
                       sources.isEmpty() ? QString() : QStringLiteral("Trainscope, run database")},
            [&](QPdfWriter& writer, QPainter& painter) {
                for (std::size_t i = 0; i < pages.size(); ++i) {
                    if (i > 0)
                        writer.newPage();
                    paintScene(pages[i], theme, painter, PaintTarget::Vector);
                }
            });
    if (!bytes.hasValue())
        return bytes.error();
    return EncodedFigure{std::move(bytes).value(), {}};
}

Result<EncodedFigure> encodeSvg(const FigureJob& job) {
    ASSIGN_OR_RETURN(auto parts, drawSvg(job.scene, job.theme));
    EncodedFigure figure;
    const QByteArray css = fontFaces({&job.scene, 1}, job.theme, figure.warnings);
    figure.bytes = parts.prologue + headOf(job, css) + parts.body;
    return figure;
}

Result<QByteArray> inlineSvg(const plot::PlotScene& scene, const plot::Theme& theme) {
    ASSIGN_OR_RETURN(auto parts, drawSvg(scene, theme));
    return "<svg" + viewBox(scene) + " xmlns=\"http://www.w3.org/2000/svg\">\n" + parts.body;
}

QByteArray inlineFonts(const std::vector<plot::PlotScene>& scenes, const plot::Theme& theme) {
    QStringList warnings; // without the font the reader's own is used
    return fontFaces(scenes, theme, warnings);
}

} // namespace trainscope::app
