#pragma once
// What the diagrams of a layout are drawn with: as figures are. height 0: as tall as wanted.

#include "core/plot/figures/FigureGeometry.h"

namespace trainscope::plot {

using DiagramStyle = FigureStyle;

} // namespace trainscope::plot
