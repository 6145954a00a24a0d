#pragma once
// The GPUs of runs whose sources name none, from what was recorded of them. See
// catalogue/GpuGuess.h.

#include "core/catalogue/GpuGuess.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/store/database/Database.h"

#include <optional>
#include <vector>

namespace trainscope::store {

// Measured runs without a model get the guessed one, marked as such. Only as read: what is stored
// stays as recorded.
Status inferGpuModels(Database& database, std::vector<Run>& runs);

// Guesses the model of that run's GPUs, even where one was recorded; absent where nothing tells.
Result<std::optional<catalogue::GpuGuess>> guessGpuModel(Database& database, const Run& run);

} // namespace trainscope::store
