#pragma once
// `predict --run`: what the job of a run is predicted to take, as it was launched and with what is
// asked for instead, beside what was measured.

#include "app/cli/commands/Command.h"
#include "app/cli/options/PredictOptions.h"

namespace trainscope::cli {

Outcome predictRun(const PredictOptions& options, const Console& console);

} // namespace trainscope::cli
