#pragma once
// Figures of a replayed step: `critical-path`, `replay` and `waits`.

#include "core/figures/Figure.h"

namespace trainscope::figures {

std::vector<Kind> replayKinds();

} // namespace trainscope::figures
