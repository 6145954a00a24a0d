#pragma once
// An import report as JSON: what `import --json` and `info --json` say about a source.

#include "app/cli/text/Json.h"
#include "core/model/Import.h"

namespace trainscope::cli {

Json reportJson(const ImportReport& report);
// "charllm: 1234 rows, 2 skipped, 1230 samples (12 missing), 3 counter falls, 1 gap"
std::string reportText(const ImportReport& report);

} // namespace trainscope::cli
