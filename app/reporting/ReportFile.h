#pragma once
// A report as a file: PDF (A4 or Letter, vector figures, embedded fonts) or one self-contained HTML
// page that follows the reader's light or dark setting. The same bytes for the same report. The
// text of both is HTML, into which they put the figures.
//
// On any thread; charts are painted on the thread of the QApplication (ChartPainter.h).

#include "core/report/Report.h"

#include <QByteArray>
#include <QLocale>
#include <QString>

namespace trainscope::app {

// All of a report, in order: those of its first page, its figures, the pictures of its comparisons.
std::vector<const figures::Figure*> figuresOf(const report::Report& report);

// The HTML of one of them, by its index.
using FigureHtml = std::function<QByteArray(std::size_t)>;
// `plain`: without the elements that QTextDocument does not know.
QByteArray reportBody(const report::Report& report, const FigureHtml& figure, bool plain);

QByteArray escapedHtml(const std::string& text);

enum class Paper { A4, Letter };
// All, what the country's printers hold first.
std::array<Paper, 2> papersByUse(const QLocale& locale);

Status checkReportName(const QString& path); // Usage where its suffix is neither pdf nor html
// By the suffix, pdf or html; Usage for others. Through a temporary file.
Status writeReport(const report::Report& report, const QString& path, Paper paper = Paper::A4);

Result<QByteArray> reportHtml(const report::Report& report);
Result<QByteArray> reportPdf(const report::Report& report, Paper paper = Paper::A4);

} // namespace trainscope::app
