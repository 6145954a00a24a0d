#pragma once
// Frames and their figures in words, and their colours; for pictures and for the window. Pure; any
// thread.

#include "core/analysis/operators/OperatorTable.h"
#include "core/plot/operators/OperatorsFigure.h"

#include <set>

namespace trainscope::plot {

// As people call it: modules without the profiler's prefix, kernels without their arguments.
std::string frameTitle(analysis::FrameKind kind, std::string_view name);
// The same of work that is compared by what launched it: that of the root has no operator.
std::string comparedTitle(analysis::FrameKind kind, std::string_view name);
std::string passTitle(analysis::StepPass pass); // "Forward", …; "Other" where nothing tells
Color passColor(analysis::StepPass pass);
std::string categoryTitle(std::string_view category); // kernel category; empty: copies and sets

// By node: the longest piece of work in the longest child of each frame; it lends it its colour
// where no pass is known.
std::vector<std::uint32_t> leadingWork(const analysis::CallTree& tree);

std::string roofText(const Roof& roof); // "BF16 989 TFLOP/s"
std::string memoryText(double bytesPerSecond); // "memory 3.35 TB/s"
// Names the records that the traces lack for a call tree with work and efficiency, and how to get
// them; empty: none. `gpuModel` as the run names it; hasPeaks: the catalogue knows it.
std::string gapText(bool hasHost, bool hasShapes, bool hasPeaks, std::string_view gpuModel);
// "aten::copy_ moves 2.9 TB/s, 87 % of what the memory can".
std::string bandwidthText(const analysis::MeasuredBandwidth& measured, double nominal);

// "41.2 %, with recomputation 52.0 %": the MFU, which is known, and what is done again.
std::string sharesText(const analysis::OperatorMfu& mfu);
// "MFU by operators 41.2 %; work is known of 98 % of the kernels' time; MFU by the model's formula
// 40.1 %", the last where it is known.
std::string mfuText(const analysis::OperatorMfu& mfu, const std::optional<double>& byFormula);

using OperatorFacts = std::vector<std::pair<std::string, std::string>>; // label, value with unit
// Facts on the sources that a compiled kernel, or the operator that launches it, was fused from;
// empty for others.
OperatorFacts sourceFacts(std::string_view name);
// `isOfHost`: of a trace without devices, whose work is self time of calls.
OperatorFacts factsOf(const analysis::FrameSums& sums, bool isOfHost = false);
std::string_view timeTitle(bool isOfHost); // "kernel time", "host self time"
OperatorFacts factsOf(const analysis::WorkEfficiency& efficiency); // those that are known
OperatorFacts assumptionsOf(const analysis::WorkEfficiency& efficiency); // assumptions behind these

// Colours of operators, and their words.

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
