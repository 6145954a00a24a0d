#pragma once
// The text of a report as HTML, for the page and for the paper; figures are put in by the caller.

#include "core/report/Report.h"

#include <QByteArray>

#include <functional>
#include <vector>

namespace trainscope::app {

// A picture of a comparison.
struct ComparisonPicture {
    const report::Comparison& comparison;
    plot::ComparisonPanel panel;
};
// Of all comparisons, in order.
std::vector<ComparisonPicture> comparisonPictures(const report::Report& report);

// The HTML of one figure, by its index: the report's figures, then the comparisons' pictures.
using FigureHtml = std::function<QByteArray(std::size_t)>;
// `plain`: without the elements that QTextDocument does not know.
QByteArray reportBody(const report::Report& report, const FigureHtml& figure, bool plain);

QByteArray escapedHtml(const std::string& text);

} // namespace trainscope::app
