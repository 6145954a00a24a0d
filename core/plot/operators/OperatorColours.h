#pragma once
// Colours of operators, and their words.

#include "core/plot/Sheet.h"
#include "core/plot/operators/OperatorsFigure.h"

#include <array>
#include <set>
#include <string>

namespace trainscope::plot {

// Colours of operators: of their passes, or, where none of them tells one, of the categories of
// their kernels.
class OperatorColours {
public:
    explicit OperatorColours(const std::vector<MeasuredOperator>& operators);

    [[nodiscard]] Color of(const MeasuredOperator& one) const;
    // Legend of the operators that are drawn; none where there is nothing to tell apart.
    [[nodiscard]] Sheet::Legend legend() const;
    void draw(const MeasuredOperator& one); // it is drawn

private:
    bool m_byPass;
    std::array<bool, analysis::kPasses> m_passes{};
    std::set<std::string> m_categories;
};

// Adds the facts of the operator at that place of the list.
void addOperator(const Sheet& sheet, Rect rect, const std::vector<MeasuredOperator>& operators,
    std::size_t index);

} // namespace trainscope::plot
