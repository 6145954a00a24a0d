#include "core/analysis/findings/Findings.h"

#include "core/analysis/findings/CollectFacts.h"
#include "core/analysis/findings/Rules.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

Result<std::vector<Finding>> findingsOf(
    const store::Store& store, const Run& run, const Progress& progress) {
    return findingsOf(store, run, FindingsOptions{}, progress);
}

Result<std::vector<Finding>> findingsOf(const store::Store& store, const Run& run,
    const FindingsOptions& options, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto facts, collectFacts(store, run, options, progress));
    return applyRules(facts);
}

} // namespace trainscope::analysis
