#pragma once
// The text of a report as HTML, for the page and for the paper; figures are put in by the caller.

#include "core/report/Report.h"

#include <QByteArray>

#include <functional>
#include <vector>

namespace trainscope::app {

// All of a report, in order: those of its first page, its figures, the pictures of its comparisons.
std::vector<const figures::Figure*> figuresOf(const report::Report& report);

// The HTML of one of them, by its index.
using FigureHtml = std::function<QByteArray(std::size_t)>;
// `plain`: without the elements that QTextDocument does not know.
QByteArray reportBody(const report::Report& report, const FigureHtml& figure, bool plain);

QByteArray escapedHtml(const std::string& text);

} // namespace trainscope::app
