#pragma once
// The kinds of figures there are.

#include "core/figures/Figure.h"

namespace trainscope::figures {

const std::vector<Kind>& kinds();
const Kind* findKind(std::string_view key); // nullptr for anything else
std::string kindList(); // "timeline, heatmap, …"

// Reads a figure with its sources. Usage for options that the kind does not take; nothing to draw
// is no error (see Figure::emptyText). Any thread that owns the store; cancelled by progress.
Result<Figure> load(const Kind& kind, const analysis::RunStudies& studies, const Request& request);

// Figures of a replayed step: `critical-path`, `replay` and `waits`.

std::vector<Kind> replayKinds();

} // namespace trainscope::figures
