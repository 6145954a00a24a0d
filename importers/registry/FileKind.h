#pragma once
// What a file is that no importer wanted, in the user's words: "JPEG image", "YAML, not telemetry".

#include <string>
#include <string_view>

namespace trainscope::importers {

// By its first decompressed bytes, and by its name where text has no marks of its own.
std::string describeFile(std::string_view head, std::string_view path);

} // namespace trainscope::importers
