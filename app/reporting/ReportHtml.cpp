#include "app/painting/FigureFile.h"
#include "app/painting/FigureWriters.h"
#include "app/reporting/ReportBody.h"
#include "app/reporting/ReportFile.h"

#include <vector>

namespace trainscope::app {

namespace {

constexpr double kWidth = 980.0; // width of a figure, CSS pixels

constexpr const char* kPageStyle = R"(
:root{color-scheme:light dark;--window:#f6f7f9;--panel:#fff;--text:#1d232b;--second:#596473;--line:#e1e5ea;--serious:#a8320b;--attention:#965100}
@media(prefers-color-scheme:dark){:root{--window:#12151a;--panel:#15191f;--text:#d5dae2;--second:#909aa8;--line:#262c35;--serious:#ff8a5c;--attention:#e69f00}}
body{margin:0;background:var(--window);color:var(--text);font:14px/1.5 Inter,system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1020px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:24px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:17px;margin:36px 0 8px}h3{font-size:14px;margin:20px 0 4px;color:var(--second)}
.facts,.note,.rule,figcaption{color:var(--second);font-size:12.5px}.facts b{color:var(--text);font-weight:600}
.finding{margin:10px 0;padding-left:12px;border-left:3px solid var(--line)}.finding b{font-weight:500}
.serious{border-color:var(--serious)}.attention{border-color:var(--attention)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:12.5px}
th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;font-weight:400}
thead th{color:var(--second)}th:first-child,td:first-child{text-align:left;padding-left:0}
.hidden{position:absolute;clip-path:inset(50%);height:1px;overflow:hidden}
figure{margin:20px 0 28px;padding:0}figure svg{width:100%;height:auto}
.dark{display:none}@media(prefers-color-scheme:dark){.dark{display:block}.light{display:none}}
@media print{.scroll{overflow:visible}figure{break-inside:avoid}}
)";

QByteArray figureHtml(
    const figures::Figure& figure, const QByteArray& light, const QByteArray& dark) {
    const QByteArray label = escapedHtml(figure.title.empty() ? "Figure" : figure.title);
    const QByteArray numbers = QByteArray::fromStdString(figure.csv()).toBase64();
    return "<figure role=\"img\" aria-label=\"" + label + "\">\n<div class=\"light\">" + light
        + "</div>\n<div class=\"dark\" aria-hidden=\"true\">" + dark
        + "</div>\n<figcaption><a download=\"figure.csv\" href=\"data:text/csv;base64," + numbers
        + "\">Numbers as CSV</a></figcaption>\n</figure>\n";
}

} // namespace

Result<QByteArray> reportHtml(const report::Report& report) {
    std::vector<QByteArray> figures;
    std::vector<plot::PlotScene> drawn; // once for each setting; one pair of embedded fonts for all
    for (const auto* figure : figuresOf(report)) {
        auto onLight = drawFigure(*figure, plot::lightTheme(), kWidth);
        const auto light = inlineSvg(onLight, plot::lightTheme());
        const auto dark
            = inlineSvg(drawFigure(*figure, plot::darkTheme(), kWidth), plot::darkTheme());
        if (!light.hasValue())
            return light.error();
        if (!dark.hasValue())
            return dark.error();
        figures.push_back(figureHtml(*figure, light.value(), dark.value()));
        drawn.push_back(std::move(onLight));
    }
    QByteArray out
        = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>";
    out += escapedHtml(report.title) + " · Trainscope</title>\n<style>";
    out += inlineFonts(drawn, plot::lightTheme()) + kPageStyle
        + "</style>\n</head>\n<body>\n<main>\n";
    out += reportBody(
        report, [&figures](std::size_t i) { return figures[i]; }, false);
    return out + "</main>\n</body>\n</html>\n";
}

} // namespace trainscope::app
