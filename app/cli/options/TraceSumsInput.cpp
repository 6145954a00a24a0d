#include "app/cli/options/TraceSumsInput.h"

#include "app/cli/options/RunSelection.h"
#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/model/Try.h"

namespace trainscope::cli {

using analysis::LackingSums;

Status keepMissingSums(const OneRunOptions& options, NeededSums needed, const Console& console,
    const Progress& progress) {
    {
        ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
        ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
        ASSIGN_OR_RETURN(const auto lacking, analysis::lackingSums({store, run}));
        const bool isEnough = lacking == LackingSums::None
            || (needed == NeededSums::CallTrees && lacking == LackingSums::AllButCallTrees);
        if (isEnough)
            return {};
    }
    auto writable = store::Store::open(options.database, store::OpenMode::ReadWrite);
    Status kept = writable.hasValue() ? Status() : Status(writable.error());
    if (kept.hasValue()) {
        ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(writable.value(), options.run));
        kept = needed == NeededSums::All ? analysis::keepSums(writable.value(), run, progress)
                                         : analysis::keepCallTrees(writable.value(), run, progress);
    }
    if (!kept.hasValue())
        console.warn("Sums of the traces cannot be kept, so all of the stretch is read: "
            + kept.error().describe());
    return {};
}

} // namespace trainscope::cli
