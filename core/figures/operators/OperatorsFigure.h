#pragma once
// Call trees of a run, read into pictures: flame graph, roofline, table, two runs beside each
// other.

#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/operators/TreeMerge.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/catalogue/GpuModel.h"
#include "core/figures/Figure.h"
#include "core/plot/operators/OperatorsFigure.h"

namespace trainscope::figures {

using CalledWorkPtr = std::shared_ptr<const plot::CalledWork>;

struct OperatorsQuery {
    RunId run;
    std::optional<int> rank; // absent: all together
    TimeRange window = kAllTime; // absolute
    analysis::RankClocksPtr clocks; // the window is on their reference; nullptr: on each rank's own
    // Leaves out the work before the first and behind the last iteration of ranks that marked them:
    // it is of no step.
    bool ofSteps = false;
    // In place of a window; empty and absent: neither.
    std::string capture;
    std::optional<std::int64_t> iteration;
    [[nodiscard]] bool isOfAll() const {
        return window == kAllTime && capture.empty() && !iteration;
    }
    bool operator==(const OperatorsQuery& other) const; // they find the same
};

// Everything read of a run that its pictures of operators are made of. Any thread.
struct OperatorsReading {
    OperatorsQuery query;
    std::string runName;
    std::string gpuModel; // empty: not known
    const catalogue::GpuModel* gpu = nullptr; // nullptr: its peaks are not known
    std::vector<int> ranks; // traced ranks
    std::vector<std::string> captures; // names, where the run has several
    std::vector<std::int64_t> iterations; // indices of the traced ones
    std::int64_t steps = 0; // traced iterations in the part that is read, of all its ranks
    std::string windowText; // "1.9 ms to 3.9 ms of the run"; empty: all of it
    analysis::KernelCategories categories; // by the user's table, where there is one
    CalledWorkPtr work; // with every frame; nullptr: nothing was traced
    std::optional<analysis::OperatorMfu> mfu; // in the window, over its ranks
    std::optional<double> formulaMfu; // the model's, of the iterations in the window

    // The reason that there is nothing to draw: no traces, no host, no shapes.
    [[nodiscard]] std::string emptyText() const;
    [[nodiscard]] std::vector<std::string> notes() const;
};

// Any thread that owns the store; cancelled by progress. A run without traces is no error; a rank
// without any is NotFound.
Result<OperatorsReading> loadOperators(
    const store::Store& store, const OperatorsQuery& query, const Progress& progress = {});

// Functions of Python are left out, where modules tell the same.
CalledWorkPtr withoutPython(const OperatorsReading& reading);
// The work with the efficiencies and categories of its nodes.
CalledWorkPtr calledWork(analysis::CallTree tree, const catalogue::GpuModel* gpu,
    const analysis::KernelCategories& categories);

plot::FlameFigureData flameOf(const OperatorsReading& reading, CalledWorkPtr work,
    std::uint32_t root, plot::FlameColouring colouring);
// The part of each rank that is read.
Result<analysis::RankWindow> windowsOf(const store::Store& store, const OperatorsQuery& query);

// The rows of a table as pictures have them.
std::vector<plot::MeasuredOperator> measuredOperators(
    const OperatorsReading& reading, analysis::OperatorGrouping grouping);
// The same by kernel, or by category of kernels, with copies and sets. The work of an operator that
// launches one kernel alone is that kernel's.
std::vector<plot::MeasuredOperator> measuredKernels(
    const OperatorsReading& reading, bool isByCategory);
// Category of a node of its tree that is work; copies and sets have one.
std::string categoryOfWork(const plot::CalledWork& work, std::size_t node);
plot::RooflineFigureData rooflineOf(
    const OperatorsReading& reading, std::vector<plot::MeasuredOperator> operators);
plot::OperatorTableFigureData operatorTableOf(const OperatorsReading& reading,
    analysis::OperatorGrouping grouping, std::vector<plot::MeasuredOperator> operators);
enum class ComparedBy { Path, Name, Kernel };
// `partOfB`: what of the second run is read, where that is not told by its window.
plot::DifferenceFigureData differenceOf(const OperatorsReading& a, const OperatorsReading& b,
    ComparedBy by, const std::string& partOfB = {});

// The part of a second run that a part of the first is compared with.
struct OperatorsAgainst {
    OperatorsQuery query;
    std::string part; // the compared part in words: "iterations 2 to 3"; empty: all, as asked
};

// The same rank if the run has a trace of it, else all of them. A window becomes the iterations
// that lie mostly inside it, if both runs have recorded these, else all of the run. Any
// thread that owns the store.
Result<OperatorsAgainst> partAgainst(const store::Store& store, const OperatorsQuery& first,
    RunId other, const Progress& progress = {});

// Draw data that has been read; the figures have no sources.
Figure flameFigure(const std::shared_ptr<const plot::FlameFigureData>& data);
Figure rooflineFigure(const std::shared_ptr<const plot::RooflineFigureData>& data);
Figure operatorTableFigure(const std::shared_ptr<const plot::OperatorTableFigureData>& data);
Figure differenceFigure(const std::shared_ptr<const plot::DifferenceFigureData>& data);

// Pictures of operators that the command line asks for.
struct OperatorsAsked {
    std::optional<int> rank; // absent: all together
    std::optional<DurationNs> from; // since the run's begin
    std::optional<DurationNs> to;
    analysis::OperatorGrouping by = analysis::OperatorGrouping::Shape;
    bool byPath = false; // differences; else by operator
    std::optional<std::int64_t> top; // rows that are drawn
    plot::FlameColouring colouring = plot::FlameColouring::Pass;
    std::string frame; // at the root; empty: all
    bool python = false; // functions of Python too

    bool operator==(const OperatorsAsked&) const = default;
};
const Options<OperatorsAsked>& flameOptions();
const Options<OperatorsAsked>& operatorTableOptions();
const Options<OperatorsAsked>& differenceOptions();

std::vector<Kind> operatorsKinds();

} // namespace trainscope::figures
