#pragma once
// Kind of a file that no importer wanted, in the user's words: "JPEG image", "YAML, not telemetry".

#include "importers/common/Source.h"

#include <string>
#include <string_view>

namespace trainscope::importers {

// By `head`, its first decompressed bytes, and by its name where text has no marks of its own.
std::string describeFile(const SourceTree& tree, const SourceFile& file, std::string_view head);

} // namespace trainscope::importers
