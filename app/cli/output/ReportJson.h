#pragma once
// An import report as JSON: what `import --json` and `info --json` say about a source.

#include "app/cli/text/Json.h"
#include "core/model/Import.h"

namespace trainscope::cli {

Json reportJson(const ImportReport& report);

} // namespace trainscope::cli
