#pragma once
// A profile of operators and exchanges that the user names, made ready for predictions.

#include "core/model/Result.h"
#include "core/predict/profile/ProfiledCosts.h"

#include <memory>
#include <string>

namespace trainscope::cli {

// None for an empty path.
Result<std::shared_ptr<const predict::ProfiledCosts>> readProfiledCosts(const std::string& path);

} // namespace trainscope::cli
