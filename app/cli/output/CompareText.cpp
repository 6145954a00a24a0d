#include "app/cli/output/CompareOutput.h"
#include "core/text/Numbers.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace trainscope::cli {

namespace {

using analysis::Comparison;
using analysis::Difference;
using analysis::Normalisation;
using analysis::QuantityInfo;
using analysis::RunMeasures;

// Beyond so many runs stand in rows.
constexpr std::size_t kMostColumns = 6;

std::string letterOf(std::size_t run) {
    return analysis::runMark(run);
}

std::string valueText(
    const std::optional<double>& value, const QuantityInfo& quantity, Normalisation by) {
    if (!value)
        return text::kMissing;
    // "Tokens / s" says its unit already.
    const bool isInTitle = quantity.unit.starts_with("1/");
    std::string text = isShare(quantity) ? text::alignedPercent(value)
                                         : text::aligned(value, isInTitle ? "1" : quantity.unit);
    if (isDivided(quantity, by))
        text += unitOf(quantity, by).substr(quantity.unit.size());
    return text;
}

std::string weightText(const Difference& difference) {
    if (!difference.a || !difference.b)
        return "";
    switch (difference.weight) {
    case Difference::Weight::Beyond:
        return "beyond the spread";
    case Difference::Weight::Within:
        return "within the spread";
    case Difference::Weight::Unknown:
        break;
    }
    return "";
}

void printVerdict(const Comparison& comparison, std::size_t later, std::ostream& out) {
    const analysis::Verdict& verdict = comparison.verdicts[later];
    if (comparison.verdicts.size() > 1)
        out << letterOf(0) << " and " << letterOf(later + 1) << ": ";
    if (comparison.runs.size() > kMostColumns) {
        out << verdict.headline << ".\n";
        return;
    }
    out << verdict.headline << ".\n  " << verdict.reason << '\n';
    for (const analysis::Statement& one : verdict.statements)
        out << "  - " << one.text << '\n';
    out << '\n';
}

void printRuns(const Comparison& comparison, std::ostream& out) {
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
        const RunMeasures& run = comparison.runs[i];
        out << letterOf(i) << "  " << run.run.name << " (" << run.cluster << ", "
            << (run.run.simulated ? "simulated" : toString(run.run.kind)) << ", "
            << toString(run.run.status) << ")\n   window: " << run.wording << '\n';
        if (run.traced)
            out << "   trace: " << run.traced->wording << '\n';
    }
    out << '\n';
}

void printQuantities(const Comparison& comparison, Normalisation by, std::ostream& out) {
    using enum text::Align;
    std::vector<text::Column> columns{{"quantity", Left}};
    std::vector<std::vector<Difference>> differences;
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
        columns.push_back({letterOf(i)});
        if (i == 0)
            continue;
        columns.push_back({letterOf(i) + " / " + letterOf(0)});
        columns.push_back({"", Left});
        differences.push_back(differencesOf(comparison.runs.front(), comparison.runs[i], by));
    }
    text::Table table{.columns = columns};
    const auto& quantities = analysis::comparedQuantities();
    for (std::size_t at = 0; at < quantities.size(); ++at) {
        std::vector<text::Cell> cells{quantities[at].title};
        bool isKnown = false;
        for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
            const auto measure = comparison.runs[i].normalised(at, by);
            isKnown |= measure.has_value();
            cells.push_back(valueText(
                measure ? std::optional(measure->value) : std::nullopt, quantities[at], by));
            if (i == 0)
                continue;
            const Difference& difference = differences[i - 1][at];
            cells.push_back(difference.ratio ? fmt::format("{:.3f}", *difference.ratio) : "");
            cells.push_back(weightText(difference));
        }
        if (isKnown)
            table.add(std::move(cells));
    }
    text::print(out, table, "  ");
    if (by != Normalisation::Absolute)
        out << "\n  " << toString(by)
            << ": what grows with the machine or the work is divided, the rest is as it is\n";
}

bool isKnown(const Comparison& comparison, std::size_t quantity, Normalisation by) {
    return std::any_of(comparison.runs.begin(), comparison.runs.end(),
        [&](const RunMeasures& run) { return run.normalised(quantity, by).has_value(); });
}

// Tables of runs in rows, so many columns each: their titles, and the text of a run.
struct RowColumn {
    std::string title;
    std::vector<std::string> cells; // by run
};
void printRows(
    const Comparison& comparison, const std::vector<RowColumn>& columns, std::ostream& out) {
    for (std::size_t first = 0; first < columns.size(); first += kMostColumns) {
        const std::size_t end = std::min(first + kMostColumns, columns.size());
        std::vector<text::Column> heads{{"run", text::Align::Left}};
        for (std::size_t i = first; i < end; ++i)
            heads.push_back({columns[i].title});
        text::Table table{.columns = heads};
        for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
            std::vector<text::Cell> cells{letterOf(run)};
            for (std::size_t i = first; i < end; ++i)
                cells.push_back(columns[i].cells[run]);
            table.add(std::move(cells));
        }
        out << '\n';
        text::print(out, table, "  ");
    }
}

// Values with their ratios to the first run's, "*" where beyond the spread.
void printManyQuantities(const Comparison& comparison, Normalisation by, std::ostream& out) {
    std::vector<std::vector<Difference>> differences(1);
    for (std::size_t run = 1; run < comparison.runs.size(); ++run)
        differences.push_back(differencesOf(comparison.runs.front(), comparison.runs[run], by));
    const auto& quantities = analysis::comparedQuantities();
    std::vector<RowColumn> columns;
    for (std::size_t at = 0; at < quantities.size(); ++at) {
        if (!isKnown(comparison, at, by))
            continue;
        RowColumn column{quantities[at].title, {}};
        for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
            const auto measure = comparison.runs[run].normalised(at, by);
            std::string text = valueText(
                measure ? std::optional(measure->value) : std::nullopt, quantities[at], by);
            if (run > 0 && differences[run][at].ratio) {
                const bool beyond = differences[run][at].weight == Difference::Weight::Beyond;
                text += fmt::format(" ({:.2f}{})", *differences[run][at].ratio, beyond ? "*" : "");
            }
            column.cells.push_back(std::move(text));
        }
        columns.push_back(std::move(column));
    }
    out << "  in brackets the ratio to " << letterOf(0)
        << ", with * where it is beyond the spread over iterations\n";
    printRows(comparison, columns, out);
    if (by != Normalisation::Absolute)
        out << "\n  " << toString(by)
            << ": what grows with the machine or the work is divided, the rest is as it is\n";
}

void printManyFacts(const Comparison& comparison, std::ostream& out) {
    std::vector<RowColumn> columns;
    for (const analysis::ConfigDifference& one : comparison.configuration) {
        RowColumn column{one.title, {}};
        for (const auto& value : one.values)
            column.cells.push_back(value.value_or(text::kMissing));
        columns.push_back(std::move(column));
    }
    if (!columns.empty())
        out << "\n  configured differently\n";
    printRows(comparison, columns, out);
}

void printConfiguration(const Comparison& comparison, std::ostream& out) {
    std::vector<text::Column> columns{{"configured differently", text::Align::Left}};
    for (std::size_t i = 0; i < comparison.runs.size(); ++i)
        columns.push_back({letterOf(i)});
    text::Table table{.columns = columns};
    for (const analysis::ConfigDifference& one : comparison.configuration) {
        std::vector<text::Cell> cells{one.title};
        for (const auto& value : one.values)
            cells.push_back(value.value_or(text::kMissing));
        table.add(std::move(cells));
    }
    if (table.isEmpty())
        return;
    out << '\n';
    text::print(out, table, "  ");
}

using Parts = std::map<std::string, double>; // s, by name

// A row for each name that any run has, in the order of the names.
void printParts(const Comparison& comparison, const std::string& title,
    const std::vector<Parts>& parts, std::ostream& out) {
    std::vector<text::Column> columns{{title, text::Align::Left}};
    std::set<std::string> names;
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
        const auto& traced = comparison.runs[i].traced;
        const bool isStep = traced && traced->basis != analysis::TraceBasis::Trace;
        columns.push_back({letterOf(i) + (isStep ? ", s/step" : ", s of trace")});
        for (const auto& [name, seconds] : parts[i])
            names.insert(name);
    }
    text::Table table{.columns = columns};
    for (const std::string& name : names) {
        std::vector<text::Cell> cells{name};
        for (const Parts& one : parts) {
            const auto found = one.find(name);
            cells.push_back(
                found == one.end() ? text::kMissing : fmt::format("{:.4g}", found->second));
        }
        table.add(std::move(cells));
    }
    if (table.isEmpty())
        return;
    out << '\n';
    text::print(out, table, "  ");
}

void printBreakdown(const Comparison& comparison, std::ostream& out) {
    std::vector<Parts> categories;
    std::vector<Parts> phases;
    for (const RunMeasures& run : comparison.runs) {
        categories.emplace_back();
        phases.emplace_back();
        if (!run.traced)
            continue;
        for (const auto& part : run.traced->all.parts)
            categories.back()[part.category + (part.isCommunication ? " (exposed)" : "")]
                = part.seconds;
        for (const analysis::Phase phase : analysis::kAllPhases) {
            if (run.traced->phases[phase] > 0.0)
                phases.back()[std::string(toString(phase))] = run.traced->phases[phase];
        }
    }
    printParts(comparison, "where the step goes", categories, out);
    printParts(comparison, "phases of the step", phases, out);
}

} // namespace

void printComparison(const Comparison& comparison, Normalisation by, std::ostream& out) {
    for (std::size_t i = 0; i < comparison.verdicts.size(); ++i)
        printVerdict(comparison, i, out);
    if (comparison.runs.size() > kMostColumns)
        out << '\n';
    printRuns(comparison, out);
    if (comparison.runs.size() > kMostColumns) {
        printManyQuantities(comparison, by, out);
        return printManyFacts(comparison, out);
    }
    printQuantities(comparison, by, out);
    printBreakdown(comparison, out);
    printConfiguration(comparison, out);
}

} // namespace trainscope::cli
