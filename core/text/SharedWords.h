#pragma once
// Whole words that a list of names shares at its beginning and its end, so that a narrow list can
// show where they differ. Pure; any thread.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace trainscope::text {

// Bytes at the beginning, with the separator behind them, and at the end, with the one before.
// Words are separated by / _ - . : and blanks.
struct SharedWords {
    std::size_t prefix = 0;
    std::size_t suffix = 0;
    bool operator==(const SharedWords&) const = default;
};

// Something is left of every name. Nothing is shared by fewer than two names, and what is shorter
// than four characters at either end does not count: leaving it out would save nothing.
SharedWords sharedWords(std::span<const std::string> names);

// "…3_00000", "…tp8…": with an ellipsis for what is left out.
std::string withoutShared(std::string_view name, const SharedWords& shared);

} // namespace trainscope::text
