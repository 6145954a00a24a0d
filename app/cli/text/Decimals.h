#pragma once
// Times as decimal numbers, exactly: a double of unix seconds holds no nanoseconds.

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>

namespace trainscope::cli {

// "-12.003" of -12003 thousandths: `count` of 10^-decimals, with all its decimals.
inline void appendDecimals(std::string& line, std::int64_t count, int decimals) {
    std::uint64_t whole = 1;
    for (int i = 0; i < decimals; ++i)
        whole *= 10;
    const bool negative = count < 0;
    const auto size
        = negative ? ~static_cast<std::uint64_t>(count) + 1 : static_cast<std::uint64_t>(count);
    fmt::format_to(std::back_inserter(line), "{}{}.{:0{}}", negative ? "-" : "", size / whole,
        size % whole, decimals);
}

// Unix seconds of nanoseconds.
inline void appendUnixSeconds(std::string& line, std::int64_t ns) {
    appendDecimals(line, ns, 9);
}

} // namespace trainscope::cli
