#pragma once
// Guesses the GPUs of a run whose sources name none, with the evidence. See catalogue/GpuGuess.h.

#include "core/catalogue/GpuGuess.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <optional>

namespace trainscope::store {

// Absent where the model was recorded or said, or nothing tells. Store::runs() has its name.
Result<std::optional<catalogue::GpuGuess>> gpuGuessOf(const Store& store, const Run& run);

} // namespace trainscope::store
