#pragma once
// Execution traces (common/ExecutionTrace.h) as sources. One that lies beside the Kineto trace of
// its process gives that run its communicators, counts and collectives, while its operators'
// shapes, types and tensors go to the trace's own operators (unit.partner). One that lies alone
// makes a run whose operators stand in their order of execution: they have no times, so each takes
// its stated duration or a microsecond, from the second at which recording began, which is
// local time.

#include "importers/common/Importer.h"

namespace trainscope::importers::exectrace {

const Importer& importer();

} // namespace trainscope::importers::exectrace
