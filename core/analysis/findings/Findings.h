#pragma once
// What deserves attention in a run, each finding with its numbers, evidence, threshold and
// denominator. A run without defects gives none.

#include "core/analysis/findings/Finding.h"
#include "core/model/Import.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

struct FindingsOptions {
    std::optional<double> networkBandwidth; // of a GPU, per direction, B/s: peak of scale-out links
};

// The costliest first. Reads everything that is recorded of the run; cancelled by progress.
Result<std::vector<Finding>> findingsOf(const store::Store& store, const Run& run,
    const FindingsOptions& options, const Progress& progress = {});
Result<std::vector<Finding>> findingsOf(
    const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
