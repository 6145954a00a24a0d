#pragma once
// A table of training runs that the user names.

#include "importers/trainingtable/TrainingTable.h"

#include <string>
#include <vector>

namespace trainscope::cli {

Result<std::vector<importers::TableRow>> tableFrom(const std::string& path);

} // namespace trainscope::cli
