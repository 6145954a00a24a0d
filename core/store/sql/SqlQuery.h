#pragma once
// SQL of the user, on a connection of its own that can only read.

#include "core/store/Values.h"

#include <filesystem>
#include <string_view>

namespace trainscope::store {

// Several statements may follow each other, separated by semicolons; each has its own header.
Status runQuery(const std::filesystem::path& path, std::string_view sql, const SqlHeader& header,
    const SqlRow& row);

} // namespace trainscope::store
