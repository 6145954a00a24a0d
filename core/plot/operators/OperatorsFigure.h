#pragma once
// Call trees as pictures: a flame graph, operators over the GPU's roofline, a table of operators,
// and two runs beside each other. Plain values; SI. Pure; any thread.

#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/operators/TreeMerge.h"
#include "core/plot/Sheet.h"

namespace trainscope::plot {

struct OperatorsHead : SheetTexts {
    RunId run;
    std::string runName;
    std::optional<int> rank; // absent: several together
    bool isOfHost = false; // times are self times of calls on the host
};

// A call tree with what is known of its work.
struct CalledWork {
    analysis::CallTree tree;
    std::vector<analysis::WorkEfficiency> efficiencies; // by node; none: nothing is known
    std::vector<std::string> categories; // by node: of kernels ("gemm"); of others empty
};

enum class FlameColouring { Pass, Category };

struct FlameFigureData {
    OperatorsHead head;
    std::shared_ptr<const CalledWork> work; // nullptr: nothing to draw
    std::uint32_t root = 0; // it and all that it calls fill the width
    FlameColouring colouring = FlameColouring::Pass;
    std::vector<bool> found; // by node: by a search, others are faded; empty: nothing is searched

    [[nodiscard]] bool isEmpty() const;
};

// An operator, module, … as it is shown: by the name that people call it, with the pass of most of
// its work.
struct MeasuredOperator : analysis::OperatorEntry {
    std::string category; // kernel category that takes most of its time; may be empty
    std::int64_t works = 0;
    bool isOfHost = false; // times are self times of calls on the host
    std::string kernel; // the whole name, of a row that is a kernel
};

// True where its FLOP and bytes give it a point over the roofs: both are known and not 0.
bool isOnRoofline(const MeasuredOperator& one);

struct Roof {
    std::string name; // "BF16"
    double flopPerSecond = 0.0;
};

struct RooflineFigureData {
    OperatorsHead head;
    std::vector<Roof> roofs;
    std::optional<double> bandwidth; // memory bandwidth, B/s
    std::vector<MeasuredOperator> operators; // the longest first

    [[nodiscard]] bool isEmpty() const; // none has a place
};

struct OperatorTableFigureData {
    OperatorsHead head;
    std::string nameTitle; // "Operator"
    std::vector<MeasuredOperator> operators; // the longest first
    std::size_t most = 20; // rows drawn at most

    [[nodiscard]] bool isEmpty() const { return operators.empty(); }
};

struct DifferenceFigureData {
    OperatorsHead head;
    std::string nameA;
    std::string nameB;
    analysis::TreeDifference difference;
    std::vector<analysis::ComparedOperator> operators; // the drawn ones, largest difference first
    std::size_t most = 24;

    [[nodiscard]] bool isEmpty() const { return operators.empty(); }
};

// The choices of their targets are the nodes or the operators.
Picture buildFlame(const FlameFigureData& data, const FigureStyle& style);
Picture buildRoofline(const RooflineFigureData& data, const FigureStyle& style);
Picture buildOperatorTable(const OperatorTableFigureData& data, const FigureStyle& style);
Picture buildDifference(const DifferenceFigureData& data, const FigureStyle& style);

// A row per node, callers before what they call, and per operator.
std::string flameCsv(const FlameFigureData& data);
std::string operatorsCsv(const OperatorsHead& head, const std::vector<MeasuredOperator>& operators);
std::string differenceCsv(const DifferenceFigureData& data);

} // namespace trainscope::plot
