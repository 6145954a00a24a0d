#pragma once
// Workload and precision of a row's run: training, training of adapters, or inference.

#include "core/predict/Job.h"

#include <optional>
#include <string_view>

namespace trainscope::importers::trainingtable {

// As the row says ("training", "lora", "inference"), else by a word in its source or its model.
// Usage names a word that is none.
Result<Workload> workloadOf(
    std::string_view stated, std::string_view source, std::string_view model);

// "BF16", "FP8-CS (FP8-MX)", "float8 rowwise", "amp_bf16", "bf16-pure". Usage names words that are
// none. `mode`: how numbers are kept, where the row says so apart, as in "autocast" or "pure".
Result<predict::StatedPrecision> precisionOf(std::string_view stated, std::string_view mode = {});

// Takes away from a job what inference has not, whatever the source does in training. Usage where
// that cannot be.
Status asInference(predict::Job& job, std::optional<int> generated);

} // namespace trainscope::importers::trainingtable
