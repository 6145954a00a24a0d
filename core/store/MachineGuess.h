#pragma once
// Guesses the GPUs of a run whose sources name none, with the evidence. See catalogue/GpuGuess.h.

#include "core/catalogue/GpuGuess.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <optional>
#include <string_view>

namespace trainscope::store {

// The fact of an import report that says which device another file of the source's folder names,
// and what stands between name and file: "NVIDIA H100, in train.log".
inline constexpr std::string_view kGpuBesideFact = "gpu_beside";
inline constexpr std::string_view kInFile = ", in ";

// Absent where the model was recorded or said, or nothing tells. Store::runs() has its name.
Result<std::optional<catalogue::GpuGuess>> gpuGuessOf(const Store& store, const Run& run);

} // namespace trainscope::store
