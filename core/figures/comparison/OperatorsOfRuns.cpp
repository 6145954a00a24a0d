// Operators that differ most between the compared runs.
#include "core/analysis/comparison/StepOperators.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/model/Try.h"

#include <utility>
#include <vector>

namespace trainscope::figures {

Status addOperators(const ComparisonContext& context, plot::ComparisonData& data) {
    std::vector<const analysis::RunMeasures*> runs;
    for (const auto& measured : context.measured)
        runs.push_back(measured.get());
    ASSIGN_OR_RETURN(data.operators, analysis::stepOperators(context.studies, runs));
    return {};
}

} // namespace trainscope::figures
