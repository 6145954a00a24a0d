#pragma once
// Makes a PDF of Qt's writer depend on its input only: objects in order of their numbers, our
// document information in place of Qt's (which holds the time of day), and an identifier made from
// the content. Format: ISO 32000-1, 7.5 (file structure) and 14.3.3 (document information).

#include "core/model/Result.h"

#include <QByteArray>
#include <QString>

namespace trainscope::app {

struct PdfInformation {
    double widthPoints = 0.0; // of the page; Qt rounds it to whole points
    double heightPoints = 0.0;
    QString title;
    QString subject;
    QString keywords;
    QString creator;
};
Result<QByteArray> normalisePdf(const QByteArray& pdf, const PdfInformation& information);

} // namespace trainscope::app
