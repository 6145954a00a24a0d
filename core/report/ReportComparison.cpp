#include "core/report/ReportComparison.h"

#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/model/Try.h"
#include "core/plot/comparison/Comparison.h"
#include "core/report/ComparisonTables.h"
#include "core/text/Table.h"

#include <algorithm>

namespace trainscope::report {

namespace {

using plot::ComparisonData;
using plot::ComparisonPanel;

Table runsTable(const ComparisonData& data) {
    Table table{"Compared runs", {{""}, {"Run"}, {"Cluster"}, {"Layout"}, {"What counts"}}};
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
        const auto& named = data.runs[run].named;
        table.add({data.runs[run].mark, named.name, named.cluster, named.layout,
            data.measured[run]->wording});
    }
    return table;
}

void addTables(const ComparisonData& data, Comparison& section) {
    section.tables.push_back(runsTable(data));
    std::vector<const analysis::RunMeasures*> runs;
    for (const auto& measured : data.measured)
        runs.push_back(measured.get());
    for (auto& table :
        comparisonTables(runs, data.query.normalisation, data.query.quantities, data.operators))
        section.tables.push_back(std::move(table));
}

// Headlines are set with a period by whoever shows them.
std::string asHeadline(std::string sentence) {
    if (sentence.ends_with('.'))
        sentence.pop_back();
    return sentence;
}

} // namespace

Result<Comparison> comparisonSection(
    const analysis::RunStudies& studies, const figures::ComparisonBoard& board) {
    ASSIGN_OR_RETURN(auto loaded, figures::loadComparison(studies, board.query));
    const auto data = std::make_shared<const ComparisonData>(std::move(loaded));
    Comparison section{board, {}, {}, board.notes, {}, {}};
    if (data->isEmpty()) {
        section.headline = asHeadline(data->emptyText);
        return section;
    }
    if (data->verdict) {
        section.headline = data->verdict->headline;
        section.statements = data->verdict->statements;
    }
    section.notes.insert(section.notes.end(), data->notes.begin(), data->notes.end());
    addTables(*data, section);
    // Words and numbers are told by the text.
    for (const ComparisonPanel panel : {ComparisonPanel::Breakdown, ComparisonPanel::Heatmap,
             ComparisonPanel::Curves, ComparisonPanel::Tracks, ComparisonPanel::Kernels}) {
        const auto& wanted = board.panels;
        if (std::find(wanted.begin(), wanted.end(), panel) == wanted.end() || !data->has(panel))
            continue;
        section.pictures.push_back(
            figures::comparisonFigure(data, {{panel}, board.stacked, board.perStage, true}));
        section.pictures.back().title = board.title + ": " + plot::textsOf(*data, panel).title;
    }
    return section;
}

} // namespace trainscope::report
