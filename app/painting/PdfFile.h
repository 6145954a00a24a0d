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
#include <string_view>

namespace trainscope::app {

// Coordinates of a PDF page with the digits that can be seen. Qt writes nine of each, which is most
// of what a dense figure takes.

// A page's content as Qt writes it, an operation a line: the coordinates of paths in two decimals
// (0.01 pt where points are painted). Everything else stays as it is.
std::string withShortCoordinates(std::string_view content);

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
