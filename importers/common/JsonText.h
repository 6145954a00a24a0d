#pragma once
// Values of scanned JSON tokens: unescaped text, members written again as strict, compact JSON,
// whole nanoseconds from decimal microseconds, and numbers.

#include "importers/common/JsonScanner.h"

namespace trainscope::importers {

// The characters a JSON string stands for. A backslash that begins no valid escape stays a
// backslash.
void appendUnescaped(std::string_view escaped, std::string& out);

// The text of a token; `storage` is used where it has to be unescaped.
std::string_view plainText(const JsonToken& token, std::string& storage);

// Strict JSON: control characters and quotes are escaped, other bytes pass as they are.
void appendJsonString(std::string_view text, std::string& out);

// The token as strict JSON without blanks; what has no place in JSON (NaN) becomes null.
void appendJson(const JsonToken& token, std::string& out);

// Decimal µs as whole ns, exact; digits below 1 ns are truncated. Absent for anything that is not a
// finite number.
std::optional<std::int64_t> microsecondsToNs(std::string_view text);

// A number, or a string that holds one; a fraction is cut off.
std::optional<std::int64_t> integerOf(const JsonToken& token);
std::optional<double> numberOf(const JsonToken& token);

} // namespace trainscope::importers
