#pragma once
// A communicator as texts name it.

#include "core/analysis/machine/ProcessGroups.h"

#include <string>

namespace trainscope::analysis {

// "TENSOR_MODEL_PARALLEL_GROUP [0, 1]", with what is known of it; empty where nothing is.
std::string groupText(const CollectiveDetail& detail);

} // namespace trainscope::analysis
