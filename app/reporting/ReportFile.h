#pragma once
// A report as a file: PDF (A4 or Letter, vector figures, embedded fonts) or one self-contained HTML
// page that follows the reader's light or dark setting. The same bytes for the same report.
//
// On any thread; charts are painted on the thread of the QApplication (ChartPainter.h).

#include "core/model/Result.h"
#include "core/report/Report.h"

#include <QByteArray>
#include <QLocale>
#include <QString>

#include <array>

namespace trainscope::app {

enum class Paper { A4, Letter };
// All, what the country's printers hold first.
std::array<Paper, 2> papersByUse(const QLocale& locale);

Status checkReportName(const QString& path); // Usage where its suffix is neither pdf nor html
// By the suffix, pdf or html; Usage for others. Through a temporary file.
Status writeReport(const report::Report& report, const QString& path, Paper paper = Paper::A4);

Result<QByteArray> reportHtml(const report::Report& report);
Result<QByteArray> reportPdf(const report::Report& report, Paper paper = Paper::A4);

} // namespace trainscope::app
