#include "core/plot/figures/FigureParts.h"

namespace trainscope::plot {

namespace {

double contentHeight(const Sheet& sheet, const FigureData& data) {
    if (!data.heatmaps.empty())
        return heatmapsHeight(sheet, data);
    return data.panels.empty() ? spectraHeight(sheet, data)
                               : panelsHeight(sheet, data, sheet.width());
}

void drawContent(const Sheet& sheet, const FigureData& data, Rect area) {
    if (!data.heatmaps.empty())
        drawHeatmaps(sheet, data, area);
    else if (!data.panels.empty())
        drawPanels(sheet, data, area);
    else
        drawSpectra(sheet, data, area);
}

} // namespace

Picture buildFigure(const FigureData& data, const FigureStyle& style) {
    Picture picture;
    Sheet sheet(picture, style);
    if (data.isEmpty()) {
        sheet.drawEmpty(data);
        return picture;
    }
    drawContent(sheet, data, sheet.open(data, contentHeight(sheet, data)));
    sheet.close();
    return picture;
}

} // namespace trainscope::plot
