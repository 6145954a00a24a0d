#include "app/painting/PdfFile.h"

#include "app/painting/FigureWriters.h"

#include <QBuffer>
#include <QHashSeed>
#include <QPageSize>

#define POINTERHOLDER_TRANSITION 4 // QPDF 11 asks for it: std::shared_ptr only
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFWriter.hh>

#include <exception>

namespace trainscope::app {

namespace {

// Dots an inch, fine enough that coordinates are not visibly rounded.
constexpr int kResolution = 1200;

// Qt's writer tags the names of fonts by the order of a hash table, which is random by default.
class FixedHashOrder {
public:
    FixedHashOrder() { QHashSeed::setDeterministicGlobalSeed(); }
    ~FixedHashOrder() { QHashSeed::resetRandomGlobalSeed(); }
    FixedHashOrder(const FixedHashOrder&) = delete;
    FixedHashOrder& operator=(const FixedHashOrder&) = delete;
};

QPDFObjectHandle informationObject(const PdfInformation& information) {
    auto object = QPDFObjectHandle::newDictionary();
    const auto add = [&object](const char* key, const QString& text) {
        if (!text.isEmpty())
            object.replaceKey(key, QPDFObjectHandle::newUnicodeString(text.toStdString()));
    };
    add("/Title", information.title);
    add("/Subject", information.subject);
    add("/Keywords", information.keywords);
    add("/Creator", creatorText());
    add("/Producer", QStringLiteral("Qt " QT_VERSION_STR));
    return object;
}

// The content hangs from the upper edge of Qt's box, whose height is kept.
void setTrueSize(QPDFObjectHandle page, const PdfInformation& information) {
    const double top = page.getKey("/MediaBox").getArrayAsRectangle().ury;
    auto box = QPDFObjectHandle::newArray();
    for (const double edge : {0.0, top - information.heightPoints, information.widthPoints, top})
        box.appendItem(QPDFObjectHandle::newReal(edge, 3));
    page.replaceKey("/MediaBox", box);
}

// Throws what QPDF throws.
QByteArray rewritten(const QByteArray& pdf, const PdfInformation& information) {
    QPDF document;
    document.setAttemptRecovery(false);
    document.processMemoryFile("figure", pdf.constData(), static_cast<std::size_t>(pdf.size()));
    document.getTrailer().replaceKey(
        "/Info", document.makeIndirectObject(informationObject(information)));
    for (const auto& page : document.getAllPages())
        setTrueSize(page, information);
    QPDFWriter writer(document);
    writer.setOutputMemory();
    writer.setStreamDataMode(qpdf_s_preserve);
    writer.setObjectStreamMode(qpdf_o_disable);
    writer.setDeterministicID(true);
    writer.write();
    const auto bytes = writer.getBufferSharedPointer();
    return QByteArray(reinterpret_cast<const char*>(bytes->getBuffer()),
        static_cast<qsizetype>(bytes->getSize()));
}

} // namespace

Result<QByteArray> paintPdf(const PdfInformation& information,
    const std::function<void(QPdfWriter& writer, QPainter& painter)>& paint) {
    const FixedHashOrder fixed;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kResolution);
        writer.setPageSize(QPageSize(
            QSizeF(information.widthPoints * kMmPerPoint, information.heightPoints * kMmPerPoint),
            QPageSize::Millimeter, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        QPainter painter;
        if (!painter.begin(&writer))
            return Error{
                ErrorCode::Io, "The PDF could not be started; the figure may be too large.", {}};
        painter.scale(kResolution / 72.0, kResolution / 72.0);
        paint(writer, painter);
    }
    try {
        return rewritten(bytes, information);
    } catch (const std::exception&) {
        return Error{ErrorCode::Internal,
            "The PDF writer gave an unexpected file; export as SVG instead.", {}};
    }
}

} // namespace trainscope::app
