#pragma once
// The figure `iterations`.

#include "core/figures/Figure.h"
#include "core/plot/iterations/IterationsFigure.h"

namespace trainscope::figures {

// Data of a table, with its texts.
plot::IterationsFigureData iterationsData(
    const std::shared_ptr<const analysis::IterationTable>& table);
Figure iterationsFigure(const std::shared_ptr<const plot::IterationsFigureData>& data);

std::vector<Kind> iterationsKinds();

} // namespace trainscope::figures
