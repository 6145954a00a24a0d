#pragma once
// Kind of a file that no importer wanted, in the user's words: "JPEG image", "YAML, not telemetry";
// and whether a machine wrote it.

#include "importers/common/Source.h"

#include <string>
#include <string_view>

namespace trainscope::importers {

// By `head`, its first decompressed bytes, and by its name where text has no marks of its own.
std::string describeFile(const SourceTree& tree, const SourceFile& file, std::string_view head);

// Sources, scripts, documents and settings, by their names: people wrote them, and lines of logs in
// them are quoted.
bool isWritten(std::string_view path);

// True for what a program printed on a machine, by its name, and for listings of GPUs by their
// drivers' tools: a GPU that it names is there. Notes, documents and scripts name any GPU.
bool isOutputOfMachine(std::string_view head, std::string_view path);

} // namespace trainscope::importers
