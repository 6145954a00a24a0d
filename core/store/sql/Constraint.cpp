#include "core/store/sql/VirtualTable.h"

#include <cmath>

namespace trainscope::store {
namespace {

using Limits = std::numeric_limits<std::int64_t>;
constexpr double kIntegerEnd = 9223372036854775808.0; // 2^63: the first real above all integers

bool isLower(Comparison op) {
    return op == Comparison::Equal || op == Comparison::Greater || op == Comparison::GreaterOrEqual;
}
bool isUpper(Comparison op) {
    return op == Comparison::Equal || op == Comparison::Less || op == Comparison::LessOrEqual;
}

std::int64_t after(std::int64_t value) {
    return value == Limits::max() ? value : value + 1;
}
std::int64_t nearest(double real) {
    return real >= kIntegerEnd ? Limits::max()
        : real < -kIntegerEnd  ? Limits::min()
                               : static_cast<std::int64_t>(real);
}

// Calls visit for each constraint on the column with a single number.
template <typename Visit>
void eachNumber(const std::vector<Constraint>& constraints, int column, Visit&& visit) {
    for (const Constraint& one : constraints) {
        if (one.column == column && one.values.size() == 1
            && (one.values.front().type == SqlValue::Type::Integer
                || one.values.front().type == SqlValue::Type::Real))
            visit(one.op, one.values.front());
    }
}

bool isEqual(std::int64_t value, const SqlValue& other) {
    if (other.type == SqlValue::Type::Real)
        return nearest(other.real) == value && static_cast<double>(value) == other.real;
    return other.type == SqlValue::Type::Integer && other.integer == value;
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
    return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& one) {
        return one.column != column || one.op != Comparison::Equal
            || std::any_of(one.values.begin(), one.values.end(),
                [value](const SqlValue& other) { return isEqual(value, other); });
    });
}

bool admits(const std::vector<Constraint>& constraints, int column, std::string_view value) {
    return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& one) {
        return one.column != column || one.op != Comparison::Equal
            || std::any_of(one.values.begin(), one.values.end(), [value](const SqlValue& other) {
                   return other.type == SqlValue::Type::Integer
                       || other.type == SqlValue::Type::Real
                       || (other.type == SqlValue::Type::Text && other.text == value);
               });
    });
}

bool admits(const std::vector<Constraint>& constraints, const PartCells& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto* const whole = std::get_if<std::int64_t>(&cells[i]);
        const auto* const text = std::get_if<std::string_view>(&cells[i]);
        const int column = static_cast<int>(i);
        if ((whole != nullptr && !admits(constraints, column, *whole))
            || (text != nullptr && !admits(constraints, column, *text)))
            return false;
    }
    return true;
}

IntegerRange integerRangeOf(const std::vector<Constraint>& constraints, int column) {
    IntegerRange range;
    eachNumber(constraints, column, [&range](Comparison op, const SqlValue& value) {
        const bool isWhole = value.type == SqlValue::Type::Integer;
        if (isLower(op))
            range.begin
                = std::max(range.begin, isWhole ? value.integer : nearest(std::floor(value.real)));
        if (isUpper(op))
            range.end = std::min(
                range.end, after(isWhole ? value.integer : nearest(std::ceil(value.real))));
    });
    return range;
}

RealRange realRangeOf(const std::vector<Constraint>& constraints, int column) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    RealRange range;
    eachNumber(constraints, column, [&range](Comparison op, const SqlValue& value) {
        const bool isReal = value.type == SqlValue::Type::Real;
        const double near = isReal ? value.real : static_cast<double>(value.integer);
        range.isAsked = true;
        // A double may not hold the integer.
        if (isLower(op))
            range.low = std::max(range.low, isReal ? near : std::nextafter(near, -infinity));
        if (isUpper(op))
            range.high = std::min(range.high, isReal ? near : std::nextafter(near, infinity));
    });
    return range;
}

} // namespace trainscope::store
