#pragma once
// A report of a database or of some of its runs: findings, tables and figures as plain values,
// which PDF and HTML are written from. Texts are for people; numbers in them carry their units.

#include "core/analysis/findings/Finding.h"
#include "core/model/Import.h"
#include "core/model/Result.h"
#include "core/plot/figures/Figure.h"
#include "core/store/Store.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::report {

// The first column names the row; the others are values, a dash where there is none.
struct Table {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> notes; // below it
};
struct Statement {
    std::string run;
    analysis::Finding finding;
};
// Two runs side by side.
struct Comparison {
    std::string title;
    std::string headline; // the verdict between scale-up and scale-out
    std::string reason;
    std::vector<std::string> statements;
    std::vector<Table> tables;
};
struct Report {
    std::string title;
    std::vector<std::pair<std::string, std::string>> facts; // "Runs" → "12 …"
    std::optional<Comparison> comparison; // of a report on two runs
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
};

// NotFound for unknown runs and for an empty database. Cancelled by progress.
Result<Report> loadReport(
    const store::Store& store, const ReportQuery& query, const Progress& progress = {});

} // namespace trainscope::report
