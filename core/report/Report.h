#pragma once
// A report of a database or of some of its runs: findings, tables and figures as plain values,
// which PDF and HTML are written from. Texts are for people; numbers in them carry their units.

#include "core/analysis/findings/Findings.h"
#include "core/model/Import.h"
#include "core/model/Result.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/figures/Figure.h"
#include "core/store/Store.h"
#include "core/text/Table.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::report {

using text::Table;

struct Statement {
    std::string run;
    analysis::Finding finding;
};
// Runs side by side: which, how, and which panels of them are drawn.
struct ComparisonRequest {
    std::string title;
    plot::ComparisonQuery query;
    std::vector<plot::ComparisonPanel> panels; // none: no pictures
    bool stacked = false;
    bool perStage = false;
    std::vector<std::string> notes; // what has become of its runs
};
struct Comparison {
    ComparisonRequest request;
    std::string headline; // the verdict
    std::vector<std::string> statements;
    std::vector<std::string> notes;
    std::vector<Table> tables;
    std::shared_ptr<const plot::ComparisonData> data;
    // A picture each, in order; those without data are left away.
    std::vector<plot::ComparisonPanel> pictures;
};
struct Report {
    std::string title;
    std::vector<std::pair<std::string, std::string>> facts; // "Runs" → "12 …"
    std::vector<Comparison> comparisons; // kept ones; of a report on two runs at least those two
    std::vector<Statement> findings; // by run; the costliest first
    std::vector<std::string> findingNotes; // runs without, findings left out
    std::vector<Table> tables;
    std::vector<plot::FigureData> figures; // none is empty
    std::vector<std::string> definitions;
    Table sources; // path, importer, content hash
    std::vector<std::string> hashes;
};

struct ReportQuery {
    std::vector<RunId> runs; // empty: all
    std::vector<ComparisonRequest> comparisons;
};

// NotFound for unknown runs and for an empty database. Cancelled by progress.
Result<Report> loadReport(
    const store::Store& store, const ReportQuery& query, const Progress& progress = {});

} // namespace trainscope::report
