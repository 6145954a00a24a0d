#pragma once
// OperatorRows: which operator a name of the source stands for, and the shape that the columns of
// its files mean. Pure; any thread.

#include "core/predict/profile/Timings.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trainscope::importers::operators {

// A row's numbers by the name of their column.
class Columns {
public:
    Columns(std::span<const std::string> names, std::span<const double> values)
        : m_names(names)
        , m_values(values) { }

    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] double operator[](std::string_view name) const; // 1 where there is none

private:
    std::span<const std::string> m_names;
    std::span<const double> m_values;
};

struct SampledOperator {
    std::string_view name; // as files are called
    std::string_view family; // see predict::OperatorTimings
    std::string_view needs; // columns that its shape needs, with blanks between
    predict::Operator (*shapeOf)(const Columns& row);
};

const SampledOperator* findOperator(std::string_view name); // nullptr: not known

struct SampledCollective {
    std::string_view name;
    predict::CollectiveKind kind;
    bool isShard; // sizes are of one rank's part
};

const SampledCollective* findCollective(std::string_view name); // nullptr: not known

} // namespace trainscope::importers::operators
