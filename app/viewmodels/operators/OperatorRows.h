#pragma once
// The rows of the view Kernels: as a table and as CSV, and their sources: their frames in the
// call tree, their places in the pictures, and the kernels under them. Pure; any thread.

#include "app/viewmodels/operators/OperatorOutline.h"
#include "app/viewmodels/operators/OperatorsAnswer.h"
#include "app/viewmodels/workspace/TableModel.h"

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
// "aten::mm 62 %, aten::addmm 38 %": the operators that launched a kernel of a row by kernels or by
// categories, by time; empty: none is known.
std::string launchersOf(const OperatorsAnswer& answer, std::uint32_t row);
text::Table kernelsTable(
    const std::string& title, const std::vector<KernelsUnder>& kernels, bool isOfHost = false);

// Seconds on the critical path by row; absent where other rows have kernels of the same name and
// operator, too: the path does not tell these apart.
std::vector<std::optional<double>> pathOfRows(const OperatorsAnswer& answer);

// The node of the tree that a row, or an operator of the pictures, is of: of several the longest;
// kNone: none.
std::uint32_t treeNodeOf(const OperatorsAnswer& answer, std::uint32_t row);
std::uint32_t rowOfOperator(const OperatorsAnswer& answer, std::size_t shown);
std::uint32_t rowOfTreeNode(const OperatorsAnswer& answer, std::size_t node);
std::uint32_t rowOfDifference(const OperatorsAnswer& answer, std::size_t shown);

// Columns of which something is known, by their places in the outline: those of the table behind
// that of the names.
std::vector<std::size_t> knownColumns(const OperatorOutline& outline);
// The rows are nodes of the outline.
TableContent operatorContent(
    const std::shared_ptr<const OperatorOutline>& outline, const QString& nameHead);
// The figures of a row that are known, with their heads.
std::vector<std::pair<QString, QString>> operatorFigures(
    const OperatorOutline& outline, std::uint32_t node);
// All that are seen, in SI units.
QString operatorCsv(const OperatorOutline& outline, const QString& nameHead);

} // namespace trainscope::app
