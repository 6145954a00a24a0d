#pragma once
// What a row's run does, training, training of adapters, or inference, and in which precision.

#include "core/predict/Job.h"

#include <optional>
#include <string_view>

namespace trainscope::importers::trainingtable {

// As the row says ("training", "lora", "inference"), else by a word in its source or its model.
// Usage names a word that is none.
Result<Workload> workloadOf(
    std::string_view stated, std::string_view source, std::string_view model);

// "BF16", "FP8-CS (FP8-MX)", "float8 rowwise". Usage names words that are none.
Result<predict::Precision> precisionOf(std::string_view stated);

// Takes away from a job what inference has not, whatever the source does in training. Usage where
// that cannot be.
Status asInference(predict::Job& job, std::optional<int> generated);

} // namespace trainscope::importers::trainingtable
