#include "app/painting/FigureWriters.h"
#include "app/painting/ScenePainter.h"

#include <QBuffer>
#include <QImage>

#include <cmath>

namespace trainscope::app {

namespace {

// 40,000 × 40,000 is beyond what viewers open, and 6 GB.
constexpr double kMostPixels = 4.0e8;

} // namespace

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

} // namespace trainscope::app
