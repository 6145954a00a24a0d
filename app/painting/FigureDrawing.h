#pragma once
// Figures that compare runs (core/plot/figures) with the painter's fonts: their geometry for the
// screen, and their files.
//
// Geometry: any thread. Painting and exporting one that holds charts: the thread of the
// QApplication, since Qt Charts lays out graphics items.

#include "app/painting/FigureExport.h"
#include "core/plot/figures/FigureGeometry.h"

#include <QString>
#include <QStringList>

namespace trainscope::app {

// height 0: as tall as the figure wants.
plot::FigureGeometry layOutFigure(
    const plot::FigureData& data, const plot::Theme& theme, double width, double height);

// Writes the figure; the value are warnings for the user. A title is taken from the data where the
// options' metadata have none.
Result<QStringList> exportFigureData(
    const plot::FigureData& data, const QString& path, const FigureOptions& options);

} // namespace trainscope::app
