#pragma once
// SQL of the user, on a connection of its own that can only read.

#include "core/store/Store.h"

#include <filesystem>
#include <string_view>

namespace trainscope::store {

// Several statements may follow each other, separated by semicolons; each has its own header.
Status runQuery(const std::filesystem::path& path, std::string_view sql,
    const Store::SqlHeader& header, const Store::SqlRow& row);

} // namespace trainscope::store
