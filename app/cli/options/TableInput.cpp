#include "app/cli/options/TableInput.h"

#include "core/model/Try.h"

#include <fstream>
#include <iterator>

namespace trainscope::cli {

namespace {

Result<std::string> textOfFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{ErrorCode::Unreadable, "The file cannot be opened.", path};
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (file.bad())
        return Error{ErrorCode::Unreadable, "The file cannot be read to its end.", path};
    return text;
}

} // namespace

Result<std::vector<importers::TableRow>> tableFrom(const std::string& path) {
    ASSIGN_OR_RETURN(const auto text, textOfFile(path));
    auto rows = importers::readTrainingTable(text, catalogue::modelCatalogue());
    if (rows.hasValue())
        return rows;
    Error error = rows.error();
    error.where = path;
    return error;
}

} // namespace trainscope::cli
