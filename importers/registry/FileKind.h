#pragma once
// Kind of a file that no importer wanted, in the user's words: "JPEG image", "YAML, not telemetry".

#include "importers/common/Source.h"

namespace trainscope::importers {

// Texts that a program may have printed.
inline constexpr std::string_view kLogText = "log text without telemetry that is known";
inline constexpr std::string_view kSteplessLog = "training log without steps that are known";
inline constexpr std::string_view kOtherText = "text without known columns";

// By `head`, its first decompressed bytes, and by its name where text has no marks of its own.
std::string describeFile(const SourceTree& tree, const SourceFile& file, std::string_view head);

// Sources, scripts, documents and settings, by their names: people wrote them, and lines of logs in
// them are quoted.
bool isWritten(std::string_view path);

} // namespace trainscope::importers
