#include "app/cli/options/TableInput.h"

#include "core/model/TextOfFile.h"
#include "core/model/Try.h"

namespace trainscope::cli {

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
