#pragma once
// Comparisons of runs (core/plot/comparison) with the painter's fonts: their geometry for the
// screen, and their files. Any thread.

#include "app/painting/FigureExport.h"
#include "core/plot/comparison/ComparisonGeometry.h"

#include <QString>
#include <QStringList>

namespace trainscope::app {

// What of a comparison is drawn, and how.
struct ComparisonChoice {
    std::vector<plot::ComparisonPanel> panels; // empty: all
    bool stacked = false;
    bool perStage = false;
};

// Height 0: as tall as the board wants. `title`: the runs' common title and the notes below.
plot::ComparisonGeometry layOutComparison(const plot::ComparisonData& data,
    const ComparisonChoice& choice, const plot::Theme& theme, double width, double height,
    bool title);

// Writes the board; the value are warnings for the user. A title is taken from the data where the
// options' metadata have none.
Result<QStringList> exportComparison(const plot::ComparisonData& data,
    const ComparisonChoice& choice, const QString& path, const FigureOptions& options);

} // namespace trainscope::app
