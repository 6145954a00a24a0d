#pragma once
// The parts of a comparison, each read in a file of its own; called by loadComparison().

#include "core/plot/comparison/Comparison.h"

#include <string>
#include <vector>

namespace trainscope::plot {

struct ComparisonContext {
    const store::Store& store;
    const ComparisonQuery& query; // with the runs in the order in which they are shown
    const std::vector<std::shared_ptr<const analysis::RunMeasures>>& measured; // by run
    const Progress& progress;

    [[nodiscard]] bool isCancelled(std::string_view phase) const {
        return progress && !progress({phase, 0, 0});
    }
};

// The same text of several runs is one note.
void addNote(std::vector<RunsNote>& notes, std::size_t run, std::string text);
// "B, D–F: no trace."
std::string noteText(const RunsNote& note);

// From what was measured; no reading.
void addVerdict(ComparisonData& data); // of pairs, or of each run and the first; needs quantities
void addQuantities(const ComparisonContext& context, ComparisonData& data);
void addStacks(
    const ComparisonContext& context, ComparisonData& data, std::vector<RunsNote>& notes);
void addKernels(const ComparisonContext& context, ComparisonData& data);
// The order of the air is read.
Status addHeat(
    const ComparisonContext& context, ComparisonData& data, std::vector<RunsNote>& notes);
Status addCurves(const ComparisonContext& context, ComparisonData& data);
Status addTracks(const ComparisonContext& context, ComparisonData& data);

// The iterations that a run's measures speak for; `one` alone where given, also one that does not
// count. In order of time.
Result<std::vector<Iteration>> iterationsFor(
    const ComparisonContext& context, std::size_t run, std::optional<std::int64_t> one);

} // namespace trainscope::plot
