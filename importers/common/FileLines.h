#pragma once
// The lines of a file, and the files of a folder, one after another: how far that is gets told, and
// a report takes what was read and where it broke off.

#include "core/model/Import.h"
#include "importers/common/Source.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace trainscope::importers {

// True where the file was read to its end; fails where it cannot be opened, the visitor does, or on
// request.
Result<bool> readLines(const SourceTree& tree, const std::string& path, std::string_view phase,
    const Progress& progress, ImportReport& report,
    const std::function<Status(std::string_view line, std::int64_t number)>& visit);

Status readFiles(const SourceTree& tree, std::string_view phase, const Progress& progress,
    const std::function<Status(const SourceFile&)>& visit);

} // namespace trainscope::importers
