#pragma once
// The rows of an SQL query as text: for tables, for CSV (RFC 4180) and for the clipboard. Numbers
// are written so that they come back as they are; bytes as hexadecimal digits; NULL is empty.

#include "core/store/Values.h"

namespace trainscope::report {

std::string plainText(const store::SqlValue& value);

// With the line's end.
std::string csvLine(const std::vector<std::string>& names);
std::string csvLine(const std::vector<store::SqlValue>& values);
// Tab-separated; tabs and line ends within a text become blanks.
std::string tsvLine(const std::vector<std::string>& names);
std::string tsvLine(const std::vector<store::SqlValue>& values);

} // namespace trainscope::report
