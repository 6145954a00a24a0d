#pragma once
// A report of a database or of some of its runs: findings, tables and figures as plain values,
// which PDF and HTML are written from. Texts are for people; numbers in them carry their units.

#include "core/analysis/findings/Findings.h"
#include "core/figures/Figure.h"
#include "core/text/Table.h"

namespace trainscope::report {

using text::Table;

struct Statement {
    std::string run;
    analysis::Finding finding;
    std::vector<std::string> also; // runs with such a finding that costs no more, of many runs
};
// Runs side by side: a board without panels has no pictures.
struct Comparison {
    figures::ComparisonBoard board;
    std::string headline; // the verdict, without a period
    std::vector<std::string> statements;
    std::vector<std::string> notes;
    std::vector<Table> tables;
    // A panel each, in order; those without data are left away.
    std::vector<figures::Figure> pictures;
};
struct Report {
    std::string title; // titleOf()
    std::string run; // name of the only one; empty: it is on several
    std::vector<std::pair<std::string, std::string>> facts; // "Runs" → "12 …"
    // The first page: of one run its overview, of several what was found; a timeline, and the
    // machine by its temperatures.
    std::vector<std::string> summary;
    std::vector<figures::Figure> overview; // none is empty
    std::vector<Comparison> comparisons; // kept ones; of a report on two runs at least those two
    // By run, the costliest first; of many runs one for each rule, those of most runs first.
    std::vector<Statement> findings;
    std::vector<std::string> findingNotes; // runs without, findings left out
    std::vector<Table> tables;
    std::vector<figures::Figure> figures; // none is empty
    std::vector<std::string> definitions;
    Table sources; // path, importer, content hash; of many the first ones
    std::vector<std::string> hashes; // all that are known: copies from an engine have none
};

struct ReportQuery {
    std::vector<RunId> runs; // empty: all
    std::vector<figures::ComparisonBoard> comparisons;
    std::vector<plot::TimelineMark> marks = {}; // the user's
};

// Title of a report on those runs, by what is known of them: "Training of gpt3-175b on 64 × NVIDIA
// H100 80GB HBM3, 1 Jan 2026, 2 min", "phases and training on 1 × NVIDIA H100 80GB HBM3, 26 Nov
// 2026".
std::string titleOf(const std::vector<Run>& runs);

// NotFound for unknown runs and for an empty database. Cancelled by progress.
Result<Report> loadReport(
    const store::Store& store, const ReportQuery& query, const Progress& progress = {});

} // namespace trainscope::report
