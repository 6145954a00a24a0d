#include "app/cli/output/CompareOutput.h"

#include "app/cli/text/TitledTable.h"
#include "core/report/ComparisonTables.h"

#include <ostream>
#include <vector>

namespace trainscope::cli {

namespace {

using analysis::Comparison;
using analysis::RunMeasures;

// Most runs whose verdicts are explained; with more, only the headlines are printed.
constexpr std::size_t kMostExplained = 6;

void printLaterVerdict(const Comparison& comparison, std::size_t later, std::ostream& out) {
    const analysis::Verdict& verdict = comparison.verdicts[later];
    if (comparison.verdicts.size() > 1)
        out << analysis::runMark(0) << " and " << analysis::runMark(later + 1) << ": ";
    if (comparison.runs.size() > kMostExplained) {
        out << verdict.first << ".\n";
        return;
    }
    printVerdict(verdict, out);
    out << '\n';
}

void printRun(const RunMeasures& run, std::size_t place, std::ostream& out) {
    out << analysis::runMark(place) << "  " << run.run.name << " (" << run.cluster << ", "
        << (run.run.simulated ? "simulated" : toString(run.run.kind)) << ", "
        << toString(run.run.status) << ")\n   window: " << run.wording << '\n';
    if (run.traced)
        out << "   trace: " << run.traced->wording << '\n';
}

} // namespace

void printVerdict(const analysis::Verdict& verdict, std::ostream& out) {
    out << verdict.first << ".\n" << verdict.explanation() << '\n';
    for (const analysis::Statement& one : verdict.statements)
        out << "  - " << one.text << '\n';
}

void printComparison(const Comparison& comparison, analysis::Normalisation by, std::ostream& out) {
    for (std::size_t i = 0; i < comparison.verdicts.size(); ++i)
        printLaterVerdict(comparison, i, out);
    if (comparison.runs.size() > kMostExplained)
        out << '\n';
    std::vector<const RunMeasures*> runs;
    for (const RunMeasures& run : comparison.runs) {
        printRun(run, runs.size(), out);
        runs.push_back(&run);
    }
    for (const auto& table : report::comparisonTables(runs, by, {}, comparison.operators)) {
        out << '\n';
        printTitled(out, table);
    }
}

} // namespace trainscope::cli
