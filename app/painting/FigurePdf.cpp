#include "app/painting/FigureWriters.h"
#include "app/painting/PdfNormalise.h"
#include "app/painting/ScenePainter.h"

#include <QBuffer>
#include <QHashSeed>
#include <QPageSize>
#include <QPdfWriter>

namespace trainscope::app {

namespace {

// Fine enough that coordinates are not visibly rounded.
constexpr int kResolution = 1200;

// Qt's writer numbers its objects in the order of a hash table, which is random by default.
class FixedHashOrder {
public:
    FixedHashOrder() { QHashSeed::setDeterministicGlobalSeed(); }
    ~FixedHashOrder() { QHashSeed::resetRandomGlobalSeed(); }
    FixedHashOrder(const FixedHashOrder&) = delete;
    FixedHashOrder& operator=(const FixedHashOrder&) = delete;
};

} // namespace

Result<EncodedFigure> encodePdf(const FigureJob& job) {
    const FixedHashOrder fixed;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kResolution);
        writer.setPageSize(
            QPageSize(QSizeF(job.scene.width * kMmPerPoint, job.scene.height * kMmPerPoint),
                QPageSize::Millimeter, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        QPainter painter;
        if (!painter.begin(&writer))
            return Error{
                ErrorCode::Io, "The PDF could not be started; the figure may be too large.", {}};
        painter.scale(kResolution / 72.0, kResolution / 72.0);
        paintScene(job.scene, job.theme, painter, PaintTarget::Vector);
    }
    auto normalised = normalisePdf(bytes,
        {job.scene.width, job.scene.height, job.options.metadata.title,
            sourcesText(job.options.metadata),
            sourcesText(job.options.metadata).isEmpty()
                ? QString()
                : QStringLiteral("Trainscope, run database"),
            creatorText()});
    if (!normalised.hasValue())
        return normalised.error();
    return EncodedFigure{std::move(normalised).value(), {}};
}

} // namespace trainscope::app
