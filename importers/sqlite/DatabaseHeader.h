#pragma once
// Length of an SQLite database by its first 100 bytes ("Database File Format", 1.3).

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainscope::importers {

struct DatabaseHeader {
    static constexpr std::size_t kBytes = 100;

    std::uint64_t pageSize = 4096;
    std::uint64_t pages = 0; // 0: it does not say, or its count is out of date

    [[nodiscard]] std::uint64_t bytes() const { return pages * pageSize; }
};

// `head`: the file's first bytes, at least kBytes of them for the count of pages.
DatabaseHeader databaseHeaderOf(std::string_view head);

} // namespace trainscope::importers
