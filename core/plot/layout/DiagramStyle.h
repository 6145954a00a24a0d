#pragma once
// Style of the diagrams of a layout, as figures have it. height 0: as tall as wanted.

#include "core/plot/figures/FigureGeometry.h"

namespace trainscope::plot {

using DiagramStyle = FigureStyle;

} // namespace trainscope::plot
