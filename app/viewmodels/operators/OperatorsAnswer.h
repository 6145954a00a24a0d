#pragma once
// Question of the view Kernels, and its answer: the trees of one run or two, the rows of the
// table and the pictures. Plain values; the answer is made on a reader thread.

#include "app/viewmodels/operators/OperatorOutline.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/overview/Overview.h"
#include "core/figures/operators/OperatorsFigure.h"

namespace trainscope::app {

// By what the rows are: the tree, or one of the groupings.
enum class OperatorsBy { Tree, Operator, Shape, Module, Annotation, Pass, Path, Kernel, Category };

struct OperatorsQuestion {
    figures::OperatorsQuery query;
    RunId against; // invalid: no second run
    std::string againstCapture; // another one of the run; empty: no capture
    OperatorsBy by = OperatorsBy::Kernel;
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

// Facts of the kernels that a further pass over the trace tells.
struct OperatorsExtras {
    analysis::AttributedEnergy energy;
    analysis::TimeOfWork work; // all GPUs together
    DurationNs waiting; // for launches of the host, of the idle time
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
    std::shared_ptr<const OperatorsExtras> extras; // nullptr: not read, or not of kernels
    OperatorOutline outline;

    // Steps of all GPUs; 1 where none are known.
    [[nodiscard]] double stepCount() const {
        return std::max<double>(1.0, static_cast<double>(reading->steps));
    }
    // The kind of its rows: of a trace of the host alone, which has no kernels, operators.
    [[nodiscard]] OperatorsBy by() const;
    [[nodiscard]] bool isByKernel() const {
        return by() == OperatorsBy::Kernel || by() == OperatorsBy::Category;
    }
};
using OperatorsAnswerPtr = std::shared_ptr<OperatorsAnswer>;

// `known`: what was read for it before, of which nothing is read again; may be nullptr. Any thread
// that owns the store; cancelled by progress.
Result<OperatorsAnswerPtr> answerTo(const store::Store& store, const OperatorsQuestion& question,
    const OperatorsAnswerPtr& known, const Progress& progress);
// Facts of the kernels of that part of a run, and what they add to rows of kernels.
Result<OperatorsExtras> readExtras(
    const store::Store& store, const figures::OperatorsQuery& query, const Progress& progress);
void takeExtras(const std::shared_ptr<const OperatorsExtras>& extras, OperatorsAnswer& answer);

} // namespace trainscope::app
