#pragma once
// Exact and locale-free number reading for data files, and periods in words.

#include "core/model/Time.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

// A decimal number of seconds (or of any unit of `nsPerUnit` nanoseconds: 1'000 for µs) as whole
// nanoseconds, without passing through a double; digits below 1 ns are truncated towards zero.
// Exponents are accepted.
std::optional<std::int64_t> decimalToNs(std::string_view text, std::int64_t nsPerUnit);

// A plain number. Absent for anything else, surrounding blanks are allowed.
std::optional<double> parseNumber(std::string_view text);

// Takes a number of the usual form, "115" or "115.49", off the front of `text`; gives what
// parseNumber() gives for it. Absent, with `text` as it was, for any other form and for more digits
// than one division gives exactly.
std::optional<double> takePlainNumber(std::string_view& text);

// True for the spellings of "no value": empty, -, N/A, [N/A], [Not Supported], ERR!, nan, [Unknown
// Error], [Requested functionality has been deprecated], case-insensitive. Not for -1: its meaning
// is the format's.
bool isMissingText(std::string_view text);

// "0.1 s", "0.020 s": in microseconds, without zeros behind but at least `fewest` decimals.
std::string secondsText(DurationNs duration, std::size_t fewest);

} // namespace trainscope::importers
