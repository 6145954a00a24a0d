#pragma once
// SQL of the user, on a connection of its own that can only read; see Query.h.

#include "core/store/Query.h"

#include <filesystem>
#include <string_view>

namespace trainscope::store {

Status runQuery(const std::filesystem::path& path, std::string_view sql, const SqlHeader& header,
    const SqlRow& row, const QueryOptions& options = {});
Result<std::vector<SqlTable>> readSqlTables(
    const std::filesystem::path& path, const QueryOptions& options);

} // namespace trainscope::store
