#pragma once
// Heat maps, sweeps, kernel times and spectra as kinds of figures.

#include "core/figures/Figure.h"

#include <memory>

namespace trainscope::figures {

std::vector<Kind> runFigureKinds();
// Those of a kind; its runs and itself are no options.
const Options<plot::FigureQuery>& runOptions(plot::FigureKind kind);

// Draws data that has been read; the figure has no sources.
Figure runFigure(const std::shared_ptr<const plot::FigureData>& data);

} // namespace trainscope::figures
