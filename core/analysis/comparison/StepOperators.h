#pragma once
// Operators by the time of the kernels that they launch in a step, of several runs beside each
// other: those that differ most first.

#include "core/analysis/RunStudy.h"
#include "core/analysis/comparison/RunMeasures.h"

namespace trainscope::analysis {

struct StepOperator {
    std::string name;
    // By run: s of a step, mean over the traced GPUs; absent where the run has no such operator.
    std::vector<std::optional<double>> seconds;

    // Longest less shortest time, a run without it at 0.
    [[nodiscard]] double difference() const;
};

// At most `most`, without those that differ by less than a thousandth of the step. Empty unless the
// traces of two runs or more cover whole steps and name operators. Cancelled by the studies'
// progress.
Result<std::vector<StepOperator>> stepOperators(
    const RunStudies& studies, std::span<const RunMeasures* const> runs, std::size_t most = 20);

} // namespace trainscope::analysis
