#include "core/analysis/operators/KeptTraces.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/traces/TraceSums.h"

namespace trainscope::analysis {

Result<store::KeptSums> sumsToKeep(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto kept, sumTraces(study));
    ASSIGN_OR_RETURN(auto trees, sumCallTrees(study));
    for (store::SumSequence& sequence : trees)
        kept.sequences.push_back(std::move(sequence));
    return kept;
}

Status keepSums(store::Store& store, const Run& run, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto sums, sumsToKeep({store, run, progress}));
    return store::keepSums(store, sums);
}

Status keepCallTrees(store::Store& store, const Run& run, const Progress& progress) {
    store::KeptSums kept;
    kept.run = run.id;
    kept.basis = kTraceSumsVersion;
    ASSIGN_OR_RETURN(kept.state, store::sourceState(store, run.id));
    ASSIGN_OR_RETURN(kept.sequences, sumCallTrees({store, run, progress}));
    return store::keepSums(store, kept);
}

} // namespace trainscope::analysis
