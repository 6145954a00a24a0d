#pragma once
// Sources of the rows of the view Operators: their frames in the call tree, their places in the
// pictures, and the kernels under them. Pure; any thread.

#include "app/viewmodels/operators/OperatorsAnswer.h"
#include "core/text/Table.h"

#include <string>
#include <vector>

namespace trainscope::app {

// Kernels of a name under a row, with the longest of them.
struct KernelsUnder {
    std::string name;
    std::int64_t count = 0;
    DurationNs total;
    DurationNs shortest;
    DurationNs longest;
    TimeNs longestAt; // on the clock of its rank
    int longestRank = -1;
};
// Kernels under a row of the answer; the most time first.
std::vector<KernelsUnder> kernelsUnder(const OperatorsAnswer& answer, std::uint32_t row);
// Kernels of the second run; none without one.
std::vector<KernelsUnder> otherKernelsUnder(const OperatorsAnswer& answer, std::uint32_t row);
text::Table kernelsTable(
    const std::string& title, const std::vector<KernelsUnder>& kernels, bool isOfHost = false);

// The node of the tree that a row, or an operator of the pictures, is of: of several the longest;
// kNone: none.
std::uint32_t treeNodeOf(const OperatorsAnswer& answer, std::uint32_t row);
std::uint32_t rowOfOperator(const OperatorsAnswer& answer, std::size_t shown);
std::uint32_t rowOfTreeNode(const OperatorsAnswer& answer, std::size_t node);
std::uint32_t rowOfDifference(const OperatorsAnswer& answer, std::size_t shown);

} // namespace trainscope::app
