#include "importers/common/Importer.h"

#include <exception>
#include <new>

namespace trainscope::importers {

ImportUnit unitOfFile(const SourceFile& file) {
    ImportUnit unit;
    unit.path = file.path;
    unit.files = {file.path};
    unit.bytes = file.size;
    return unit;
}

std::string listNames(const std::vector<std::string>& names, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more"
                               : text;
}

std::string runText(const ImportUnit& unit) {
    return unit.runName.empty() && unit.machine ? listNames(unit.machine->runs) : unit.runName;
}

Result<ImportReport> caught(const SourceTree& tree, const ImportUnit& unit,
    const std::function<Result<ImportReport>()>& read) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::Unreadable, "There is not enough memory to read this.",
            tree.displayPath(unit.path)};
    } catch (const std::exception& problem) {
        return Error{ErrorCode::Internal, std::string("Reading failed: ") + problem.what(),
            tree.displayPath(unit.path)};
    }
}

} // namespace trainscope::importers
