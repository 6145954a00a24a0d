#pragma once
// Question of the view Operators, and its answer: the trees of one run or two, the rows of the
// table and the pictures. Plain values; the answer is made on a reader thread.

#include "app/viewmodels/operators/OperatorOutline.h"
#include "core/figures/operators/OperatorsFigure.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace trainscope::app {

// By what the rows are: the tree, or one of the groupings.
enum class OperatorsBy { Tree, Operator, Shape, Module, Annotation, Pass, Path };

struct OperatorsQuestion {
    figures::OperatorsQuery query;
    RunId against; // invalid: no second run
    OperatorsBy by = OperatorsBy::Tree;
    bool python = false; // functions of Python are shown
    bool path = false; // time on the critical path is shown
    bool operator==(const OperatorsQuestion&) const = default;
};

// Seconds of a step that kernels of a name, launched by operators of a name, are on its critical
// path.
struct OperatorsPath {
    std::map<std::pair<std::string, std::string>, double> seconds; // by operator and kernel
    std::string whyNothing; // the reason that there is no path; a sentence
};

using ReadingPtr = std::shared_ptr<const figures::OperatorsReading>;

struct OperatorsAnswer {
    OperatorsQuestion question;
    ReadingPtr reading;
    ReadingPtr other; // the second run's
    figures::CalledWorkPtr work; // the shown part of the tree
    analysis::OperatorGrouping grouping = analysis::OperatorGrouping::Shape; // in the pictures
    std::shared_ptr<const plot::RooflineFigureData> roofline;
    std::shared_ptr<const plot::OperatorTableFigureData> table;
    std::shared_ptr<const plot::DifferenceFigureData> difference; // between two runs
    std::shared_ptr<const OperatorsPath> path; // nullptr: not asked for
    OperatorOutline outline;
};
using OperatorsAnswerPtr = std::shared_ptr<OperatorsAnswer>;

// `known`: what was read for it before, of which nothing is read again; may be nullptr. Any thread
// that owns the store; cancelled by progress.
Result<OperatorsAnswerPtr> answerTo(const store::Store& store, const OperatorsQuestion& question,
    const OperatorsAnswerPtr& known, const Progress& progress);

} // namespace trainscope::app
