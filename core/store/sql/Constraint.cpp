#include "core/store/sql/Constraint.h"

#include <algorithm>
#include <cmath>
#include <compare>

namespace trainscope::store {
namespace {

using Limits = std::numeric_limits<std::int64_t>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kIntegerEnd = 9223372036854775808.0; // 2^63: the first real above all integers

std::partial_ordering order(std::int64_t a, double b) {
    if (b >= kIntegerEnd)
        return std::partial_ordering::less;
    if (b < -kIntegerEnd)
        return std::partial_ordering::greater;
    const double whole = std::floor(b);
    const auto integer = static_cast<std::int64_t>(whole);
    if (a != integer)
        return a <=> integer;
    return b > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

// Unordered with NULL; numbers come before everything else.
std::partial_ordering order(std::int64_t a, const SqlValue& b) {
    switch (b.type) {
    case SqlValue::Type::Null:
        return std::partial_ordering::unordered;
    case SqlValue::Type::Integer:
        return a <=> b.integer;
    case SqlValue::Type::Real:
        return order(a, b.real);
    default:
        return std::partial_ordering::less;
    }
}

bool holds(Comparison op, std::partial_ordering order) {
    switch (op) {
    case Comparison::Equal:
        return std::is_eq(order);
    case Comparison::Greater:
        return std::is_gt(order);
    case Comparison::GreaterOrEqual:
        return std::is_gteq(order);
    case Comparison::Less:
        return std::is_lt(order);
    case Comparison::LessOrEqual:
        return std::is_lteq(order);
    case Comparison::IsNotNull:
        return true;
    }
    return true;
}

// Calls visit for each constraint on the column; false stops with false.
template <typename Visit>
bool all(const std::vector<Constraint>& constraints, int column, Visit&& visit) {
    return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
        return constraint.column != column || visit(constraint);
    });
}

bool isLower(Comparison op) {
    return op == Comparison::Equal || op == Comparison::Greater || op == Comparison::GreaterOrEqual;
}
bool isUpper(Comparison op) {
    return op == Comparison::Equal || op == Comparison::Less || op == Comparison::LessOrEqual;
}

std::int64_t after(std::int64_t value) {
    return value == Limits::max() ? value : value + 1;
}

// The first integer that is at or above a real (beyond it, where `isOpen`).
std::int64_t firstFrom(double real, bool isOpen) {
    const double bound = std::ceil(real);
    if (bound >= kIntegerEnd)
        return Limits::max();
    if (bound < -kIntegerEnd)
        return Limits::min();
    // Counted on as an integer: beyond 2^53 a real has no next whole number.
    const auto whole = static_cast<std::int64_t>(bound);
    return isOpen && bound == real ? after(whole) : whole;
}

// Whole numbers that one comparison leaves: as firstFrom(), for numbers beyond what a double holds.
IntegerRange integersOf(Comparison op, const SqlValue& value) {
    IntegerRange range;
    if (value.type == SqlValue::Type::Integer) {
        if (isLower(op))
            range.begin = op == Comparison::Greater ? after(value.integer) : value.integer;
        if (isUpper(op))
            range.end = op == Comparison::Less ? value.integer : after(value.integer);
        return range;
    }
    if (isLower(op))
        range.begin = firstFrom(value.real, op == Comparison::Greater);
    if (isUpper(op))
        range.end = firstFrom(value.real, op != Comparison::Less);
    return range;
}

// The reals that compare so with an integer, which a double may not hold.
RealRange realsOf(Comparison op, const SqlValue& value) {
    const double near
        = value.type == SqlValue::Type::Real ? value.real : static_cast<double>(value.integer);
    const std::partial_ordering side = value.type == SqlValue::Type::Real
        ? std::partial_ordering::equivalent
        : order(value.integer, near);
    RealRange range;
    if (op == Comparison::Equal && !std::is_eq(side))
        return {kInfinity, -kInfinity, true};
    if (isLower(op)) {
        const bool isBeyond = std::is_gt(side) || (op == Comparison::Greater && std::is_eq(side));
        range.low = isBeyond ? std::nextafter(near, kInfinity) : near;
    }
    if (isUpper(op)) {
        const bool isBeyond = std::is_lt(side) || (op == Comparison::Less && std::is_eq(side));
        range.high = isBeyond ? std::nextafter(near, -kInfinity) : near;
    }
    return range;
}

bool isNumber(const SqlValue& value) {
    return value.type == SqlValue::Type::Integer || value.type == SqlValue::Type::Real;
}
// Against what is no number: every number is less than text, none compares with NULL.
bool isAlwaysTrue(Comparison op, const SqlValue& value) {
    return value.type != SqlValue::Type::Null
        && (op == Comparison::Less || op == Comparison::LessOrEqual);
}

} // namespace

std::optional<std::int64_t> numberAsked(const std::vector<Constraint>& constraints, int column) {
    for (const Constraint& one : constraints) {
        if (one.column == column && one.op == Comparison::Equal && one.values.size() == 1
            && one.values.front().type == SqlValue::Type::Integer)
            return one.values.front().integer;
    }
    return std::nullopt;
}

bool admits(const std::vector<Constraint>& constraints, int column, std::int64_t value) {
    return all(constraints, column, [value](const Constraint& constraint) {
        return constraint.op == Comparison::IsNotNull
            || std::any_of(constraint.values.begin(), constraint.values.end(),
                [&](const SqlValue& other) { return holds(constraint.op, order(value, other)); });
    });
}

bool admits(const std::vector<Constraint>& constraints, int column, std::string_view value) {
    return all(constraints, column, [value](const Constraint& constraint) {
        return constraint.op != Comparison::Equal
            || std::any_of(
                constraint.values.begin(), constraint.values.end(), [value](const SqlValue& other) {
                    return other.type == SqlValue::Type::Integer
                        || other.type == SqlValue::Type::Real
                        || (other.type == SqlValue::Type::Text && other.text == value);
                });
    });
}

IntegerRange integerRangeOf(const std::vector<Constraint>& constraints, int column) {
    IntegerRange range;
    all(constraints, column, [&range](const Constraint& constraint) {
        for (const SqlValue& value : constraint.values) {
            IntegerRange one;
            if (isNumber(value))
                one = integersOf(constraint.op, value);
            else if (!isAlwaysTrue(constraint.op, value))
                one = {Limits::max(), Limits::min()};
            range.begin = std::max(range.begin, one.begin);
            range.end = std::min(range.end, one.end);
        }
        return true;
    });
    return range;
}

RealRange realRangeOf(const std::vector<Constraint>& constraints, int column) {
    RealRange range;
    all(constraints, column, [&range](const Constraint& constraint) {
        range.isAsked = true;
        for (const SqlValue& value : constraint.values) {
            RealRange one;
            if (isNumber(value))
                one = realsOf(constraint.op, value);
            else if (!isAlwaysTrue(constraint.op, value))
                one = {kInfinity, -kInfinity, true};
            range.low = std::max(range.low, one.low);
            range.high = std::min(range.high, one.high);
        }
        return true;
    });
    return range;
}

} // namespace trainscope::store
