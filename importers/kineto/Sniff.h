#pragma once
// Tells a Kineto trace from other JSON by its first bytes.

#include "importers/common/Importer.h"

#include <string_view>

namespace trainscope::importers::kineto {

Confidence sniffTrace(std::string_view head);

} // namespace trainscope::importers::kineto
