#pragma once
// What the view Operators asks for, and its answer: the trees of one run or two, the rows of the
// table and the pictures. Plain values; the answer is made on a reader thread.

#include "app/viewmodels/operators/OperatorOutline.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/text/Table.h"

#include <memory>
#include <optional>
#include <vector>

namespace trainscope::app {

// By what the rows are: the tree, or one of the groupings.
enum class OperatorsBy { Tree, Operator, Shape, Module, Annotation, Pass };

struct OperatorsQuestion {
    figures::OperatorsQuery query;
    RunId against; // invalid: no second run
    OperatorsBy by = OperatorsBy::Tree;
    bool python = false; // functions of Python are shown
    bool operator==(const OperatorsQuestion&) const = default;
};

using ReadingPtr = std::shared_ptr<const figures::OperatorsReading>;

struct OperatorsAnswer {
    OperatorsQuestion question;
    ReadingPtr reading;
    ReadingPtr other; // of the second run
    figures::CalledWorkPtr work; // what is shown of the tree
    analysis::OperatorGrouping grouping = analysis::OperatorGrouping::Shape; // of the pictures
    std::shared_ptr<const plot::RooflineFigureData> roofline;
    std::shared_ptr<const plot::OperatorTableFigureData> table;
    std::shared_ptr<const plot::DifferenceFigureData> difference; // of two runs
    OperatorOutline outline;
};
using OperatorsAnswerPtr = std::shared_ptr<OperatorsAnswer>;

// `known`: what was read for it before, of which nothing is read again; may be nullptr. Any thread
// that owns the store; cancelled by progress.
Result<OperatorsAnswerPtr> answerTo(const store::Store& store, const OperatorsQuestion& question,
    const OperatorsAnswerPtr& known, const Progress& progress);

// Kernels of a name under a row, with the longest of them.
struct KernelsUnder {
    std::string name;
    std::int64_t count = 0;
    DurationNs total;
    DurationNs shortest;
    DurationNs longest;
    TimeNs longestAt;
};
// Of a row of the answer; the most time first.
std::vector<KernelsUnder> kernelsUnder(const OperatorsAnswer& answer, std::uint32_t row);
text::Table kernelsTable(const std::vector<KernelsUnder>& kernels);

// The node of the tree that a row, or an operator of the pictures, is of: of several the longest;
// kNone: none.
std::uint32_t treeNodeOf(const OperatorsAnswer& answer, std::uint32_t row);
std::uint32_t rowOfOperator(const OperatorsAnswer& answer, std::size_t shown);
std::uint32_t rowOfTreeNode(const OperatorsAnswer& answer, std::size_t node);
std::uint32_t rowOfDifference(const OperatorsAnswer& answer, std::size_t shown);

} // namespace trainscope::app
