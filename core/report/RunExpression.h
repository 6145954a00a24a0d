#pragma once
// Expressions that choose runs of a table by their columns:
//
//   expression  = and-part { "or" and-part }
//   and-part    = not-part { "and" not-part }
//   not-part    = "not" not-part | "(" expression ")" | comparison
//   comparison  = column operator value
//   operator    = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" (contains) | "!~"
//   value       = number [unit] | word | "text in quotes" | "missing"
//
// Columns go by the words of RunColumns.h. Numbers are in SI units unless a unit stands behind
// them: 600 W, 0.6 kW, 250 ms, 5 %. Texts compare whatever their case, numbers in them as numbers;
// of tags one has to fit. A run without a value meets neither =, ~ nor an order, but their
// opposites != and
// !~. && and || and ! stand for the words as well. Pure; any thread.

#include "core/report/RunColumns.h"

namespace trainscope::report {

struct RunExpression {
    std::function<bool(const RunRecord& run)> holds;
    bool asksMeasured = false; // for a figure, which may not be measured yet
};

// An empty text holds for all runs. Usage says at which character what is expected.
Result<RunExpression> parseRunExpression(std::string_view text);

// The value in the column's SI unit: "0.6 kW" for W is 600. Absent for what is no number, or has
// another unit.
std::optional<double> numberInUnit(std::string_view text, std::string_view unit);

} // namespace trainscope::report
