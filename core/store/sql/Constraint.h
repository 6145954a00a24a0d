#pragma once
// Constraint: a condition `column op value` of a query on a virtual table, as SQLite hands it down.
// Equality is exact; what is left by other comparisons may be more than they allow, and SQLite
// compares again.

#include "core/store/Values.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace trainscope::store {

enum class Comparison { Equal, Greater, GreaterOrEqual, Less, LessOrEqual };

struct Constraint {
    int column = 0;
    Comparison op = Comparison::Equal;
    // One; several of `column IN (…)`, of which one has to be equal. For columns of numbers a text
    // that is a number is that number already.
    std::vector<SqlValue> values;
};

// The whole number that equality asks of the column; absent without one.
std::optional<std::int64_t> numberAsked(const std::vector<Constraint>& constraints, int column);

// False where equality on that column rules the value out; on a column of text, equality with text.
bool admits(const std::vector<Constraint>& constraints, int column, std::int64_t value);
bool admits(const std::vector<Constraint>& constraints, int column, std::string_view value);

// The half-open range that the constraints on a column of integers leave; the largest integer is
// never in it.
struct IntegerRange {
    std::int64_t begin = std::numeric_limits<std::int64_t>::min();
    std::int64_t end = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool isEmpty() const { return begin >= end; }
    [[nodiscard]] bool contains(std::int64_t value) const { return value >= begin && value < end; }
};
IntegerRange integerRangeOf(const std::vector<Constraint>& constraints, int column);

// The closed range that they leave of a column of reals.
struct RealRange {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool isAsked = false; // then missing values are out

    [[nodiscard]] bool isEmpty() const { return low > high; }
    [[nodiscard]] bool contains(double value) const { return value >= low && value <= high; }
};
RealRange realRangeOf(const std::vector<Constraint>& constraints, int column);

} // namespace trainscope::store
