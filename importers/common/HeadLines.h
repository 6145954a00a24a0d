#pragma once
// The first lines of a file, by which a format knows its own.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// Bytes of a file's beginning that tell the column order.
inline constexpr std::size_t kHeadOfLines = std::size_t{64} << 10;

// The lines of the first bytes of a file, decoded; not more than kHeadOfLines, and the last one
// left out where they are cut off there. Lines that no log has are empty. `most`: the first so
// many.
std::vector<std::string> linesOfHead(
    std::string_view head, std::size_t most = static_cast<std::size_t>(-1));

} // namespace trainscope::importers
