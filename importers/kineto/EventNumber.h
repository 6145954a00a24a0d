#pragma once
// The numbers of events: whole nanoseconds from decimal microseconds, and integers.

#include "importers/kineto/JsonScanner.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainscope::importers::kineto {

// Decimal µs as whole ns, exact; digits below 1 ns are truncated. Absent for anything that is not a
// finite number.
std::optional<std::int64_t> microsecondsToNs(std::string_view text);

// A number, or a string that holds one; a fraction is cut off.
std::optional<std::int64_t> integerOf(const JsonToken& token);
std::optional<double> numberOf(const JsonToken& token);

} // namespace trainscope::importers::kineto
