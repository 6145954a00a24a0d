#include "core/report/ReportComparison.h"

#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/model/Try.h"
#include "core/plot/comparison/ComparisonGeometry.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::report {

namespace {

using plot::ComparisonData;
using plot::ComparisonPanel;
using plot::ComparisonQuantity;

// More of them stand in rows.
constexpr std::size_t kMostColumns = 4;
constexpr std::size_t kQuantitiesOfATable = 5;

std::string weightText(const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    if (!change.difference)
        return text::kMissing;
    switch (change.weight) {
    case plot::ComparisonWeight::Beyond:
        return "beyond the spread";
    case plot::ComparisonWeight::Within:
        return "within the spread";
    case plot::ComparisonWeight::Unknown:
        break;
    }
    return "not known";
}

std::string valueText(const ComparisonQuantity& quantity, std::size_t run) {
    return quantity.values[run] ? plot::quantityValueText(quantity.axis, quantity.values[run])
                                : text::kMissing;
}

Table runsTable(const ComparisonData& data) {
    Table table{"Compared runs", {{""}, {"Run"}, {"Cluster"}, {"Layout"}, {"What counts"}}};
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
        const auto& named = data.runs[run].named;
        table.add({data.runs[run].mark, named.name, named.cluster, named.layout,
            data.measured[run]->wording});
    }
    return table;
}

// Few runs are columns, each later one with its change.
Table quantityTable(const ComparisonData& data) {
    Table table{"Compared quantities", {{"Quantity"}}};
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
        table.columns.push_back({data.runs[run].mark});
        if (run == 0)
            continue;
        table.columns.push_back({fmt::format("{} to {}", data.runs[run].mark, data.runs[0].mark)});
        table.columns.push_back({"Difference"});
    }
    for (const auto& quantity : data.quantities) {
        std::vector<text::Cell> row{quantity.axis.title};
        for (std::size_t run = 0; run < data.runs.size(); ++run) {
            row.push_back(valueText(quantity, run));
            if (run == 0)
                continue;
            const bool isKnown = quantity.changes[run].difference.has_value();
            row.push_back(isKnown ? plot::changeText(quantity, run) : text::kMissing);
            row.push_back(weightText(quantity, run));
        }
        table.add(std::move(row));
    }
    return table;
}

// Many runs are rows; so many quantities a table.
std::vector<Table> quantityTables(const ComparisonData& data) {
    std::vector<Table> tables;
    for (std::size_t first = 0; first < data.quantities.size(); first += kQuantitiesOfATable) {
        const std::size_t end = std::min(first + kQuantitiesOfATable, data.quantities.size());
        Table table{
            tables.empty() ? "Compared quantities" : "Compared quantities, continued", {{"Run"}}};
        for (std::size_t i = first; i < end; ++i)
            table.columns.push_back({data.quantities[i].axis.title});
        for (std::size_t run = 0; run < data.runs.size(); ++run) {
            std::vector<text::Cell> row{data.runs[run].mark};
            for (std::size_t i = first; i < end; ++i) {
                const auto& quantity = data.quantities[i];
                const auto& change = quantity.changes[run];
                row.push_back(valueText(quantity, run)
                    + (change.difference ? fmt::format(" ({}{})", plot::changeText(quantity, run),
                           change.weight == plot::ComparisonWeight::Beyond ? " *" : "")
                                         : std::string()));
            }
            table.add(std::move(row));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

Table configurationTable(const ComparisonData& data) {
    const bool isWide = data.runs.size() > kMostColumns;
    Table table{"Configured differently", {{isWide ? "Run" : "Setting"}}};
    if (!isWide) {
        for (const auto& run : data.runs)
            table.columns.push_back({run.mark});
        for (const auto& fact : data.configuration) {
            table.add({fact.title});
            table.rows.back().insert(
                table.rows.back().end(), fact.values.begin(), fact.values.end());
        }
        return table;
    }
    for (const auto& fact : data.configuration)
        table.columns.push_back({fact.title});
    for (std::size_t run = 0; run < data.runs.size() && !data.configuration.empty(); ++run) {
        table.add({data.runs[run].mark});
        for (const auto& fact : data.configuration)
            table.rows.back().push_back(fact.values[run]);
    }
    return table;
}

void addTables(const ComparisonData& data, Comparison& section) {
    section.tables.push_back(runsTable(data));
    if (data.runs.size() > kMostColumns) {
        for (auto& table : quantityTables(data))
            section.tables.push_back(std::move(table));
    } else {
        section.tables.push_back(quantityTable(data));
    }
    section.tables.back().notes.push_back(plot::normalisationText(data.query.normalisation));
    section.tables.back().notes.push_back(
        std::string("The spread is that over iterations: Welch's t-test on their values at 95 %.")
        + (data.runs.size() > kMostColumns
                ? " In brackets the change to " + data.runs[0].mark + ", * beyond the spread."
                : ""));
    section.tables.push_back(configurationTable(data));
}

} // namespace

Result<Comparison> comparisonSection(
    const store::Store& store, const figures::ComparisonBoard& board, const Progress& progress) {
    ASSIGN_OR_RETURN(auto loaded, figures::loadComparison(store, board.query, nullptr, progress));
    const auto data = std::make_shared<const ComparisonData>(std::move(loaded));
    Comparison section{board, {}, {}, board.notes, {}, {}};
    if (data->isEmpty()) {
        section.headline = data->emptyText;
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
