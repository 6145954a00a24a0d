#pragma once
// The lines of a file, the objects of a JSON file, and the files of a folder, one after another:
// how far that is gets told. The first lines, by which a format knows its own.

#include "core/model/Import.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/Source.h"

namespace trainscope::importers {

// The report takes bytes, and where the file broke off. True where it was read to its end; fails
// where it cannot be opened, the visitor does, or on request.
Result<bool> readLines(const SourceTree& tree, const std::string& path, std::string_view phase,
    const Progress& progress, ImportReport& report,
    const std::function<Status(std::string_view line, std::int64_t number)>& visit);

struct ObjectsRead {
    std::uint64_t bytes = 0;
    std::int64_t leftOut = 0;
    std::string problem; // the reason of an early end
};
// The visitor's `false` ends it.
Result<ObjectsRead> readObjects(const SourceTree& tree, const std::string& path,
    std::vector<std::string_view> paths, std::string_view phase, const Progress& progress,
    const std::function<Result<bool>(const JsonPaths::Found&)>& visit);

// Bytes of a file's beginning that tell the column order.
inline constexpr std::size_t kHeadOfLines = std::size_t{64} << 10;

// The lines of the first bytes of a file, decoded; not more than kHeadOfLines, and the last one
// left out where they are cut off there. Lines that no log has are empty. `most`: the first so
// many.
std::vector<std::string> linesOfHead(
    std::string_view head, std::size_t most = static_cast<std::size_t>(-1));

Status readFiles(const SourceTree& tree, std::string_view phase, const Progress& progress,
    const std::function<Status(const SourceFile&)>& visit);

} // namespace trainscope::importers
