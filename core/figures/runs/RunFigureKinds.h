#pragma once
// Heat maps, sweeps, kernel times and spectra as kinds of figures.

#include "core/figures/Figure.h"

#include <memory>

namespace trainscope::figures {

std::vector<Kind> runFigureKinds();

// Of what has been read; without sources.
Figure runFigure(const std::shared_ptr<const FigureData>& data);

} // namespace trainscope::figures
