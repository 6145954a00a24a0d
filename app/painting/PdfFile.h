#pragma once
// PDF files whose bytes depend on what is painted only: Qt's writer paints, QPDF then writes the
// objects in the order in which they are reached, our document information in place of Qt's (which
// holds the time of day), pages in their true size, and an identifier made from the content.

#include "core/model/Result.h"

#include <QByteArray>
#include <QPainter>
#include <QPdfWriter>
#include <QString>

#include <functional>

namespace trainscope::app {

struct PdfInformation {
    double widthPoints = 0.0; // every page's; Qt rounds it to whole points
    double heightPoints = 0.0;
    QString title;
    QString subject;
    QString keywords;
};

// `paint` draws in points; the writer is for further pages.
Result<QByteArray> paintPdf(const PdfInformation& information,
    const std::function<void(QPdfWriter& writer, QPainter& painter)>& paint);

} // namespace trainscope::app
