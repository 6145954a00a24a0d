#include "core/report/ComparisonTables.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/report/RunTables.h"
#include "core/text/NumberMarks.h"

namespace trainscope::report {

namespace {

using analysis::Difference;
using analysis::Normalisation;
using analysis::QuantityInfo;
using analysis::RunMeasures;
using text::Align;
using text::Table;
using Runs = std::span<const RunMeasures* const>;
using Weight = Difference::Weight;

// More of them stand in rows, so many lines a table beside each other.
constexpr std::size_t kMostColumns = 4;
constexpr std::size_t kLinesOfATable = 5;

constexpr const char* kDifference = "Difference"; // a column in words: a run against the first

bool isMany(Runs runs) {
    return runs.size() > kMostColumns;
}

struct Line {
    std::string title;
    std::vector<std::string> cells; // by label
};

struct Topic {
    std::string title;
    std::string head; // heading over the lines' titles
    std::vector<std::string> labels; // runs, and what is said between them
    std::vector<Line> lines = {};
};

std::vector<std::string> marksOf(Runs runs) {
    std::vector<std::string> marks;
    for (std::size_t run = 0; run < runs.size(); ++run)
        marks.push_back(analysis::runMark(run));
    return marks;
}

Table upright(const Topic& topic) {
    Table table{topic.title, {{topic.head, Align::Left}}};
    for (const auto& label : topic.labels)
        table.columns.push_back({label, label == kDifference ? Align::Left : Align::Right});
    for (const auto& line : topic.lines) {
        table.add({line.title});
        table.rows.back().insert(table.rows.back().end(), line.cells.begin(), line.cells.end());
    }
    return table;
}

void addAcross(const Topic& topic, std::vector<Table>& tables) {
    const auto& lines = topic.lines;
    for (std::size_t first = 0; first < lines.size(); first += kLinesOfATable) {
        const std::size_t end = std::min(first + kLinesOfATable, lines.size());
        Table table{topic.title + (first == 0 ? "" : ", continued"), {{"Run", Align::Left}}};
        for (std::size_t i = first; i < end; ++i)
            table.columns.push_back({lines[i].title});
        for (std::size_t run = 0; run < topic.labels.size(); ++run) {
            table.add({topic.labels[run]});
            for (std::size_t i = first; i < end; ++i)
                table.rows.back().push_back(lines[i].cells[run]);
        }
        tables.push_back(std::move(table));
    }
}

void addTables(const Topic& topic, bool inRows, std::vector<Table>& tables) {
    if (inRows)
        addAcross(topic, tables);
    else if (!topic.lines.empty())
        tables.push_back(upright(topic));
}

std::string valueText(const RunMeasures& run, std::size_t quantity, Normalisation by) {
    const auto measure = run.normalised(quantity, by);
    if (!measure)
        return text::kMissing;
    const QuantityInfo& info = analysis::comparedQuantities()[quantity];
    if (isShare(info))
        return text::alignedPercent(measure->value);
    // "Tokens / s" says its unit already.
    const bool isInTitle = info.unit.starts_with("1/");
    std::string text = text::aligned(measure->value, isInTitle ? "1" : info.unit);
    if (isDivided(info, by))
        text += unitOf(info, by).substr(info.unit.size());
    return text;
}

std::string weightText(const Difference& change) {
    if (!change.amount())
        return text::kMissing;
    return change.weight == Weight::Beyond ? "beyond the spread"
        : change.weight == Weight::Within  ? "within the spread"
                                           : "not known";
}

// Differences of each run to the first, by quantity.
using Changes = std::vector<std::vector<Difference>>;

std::vector<std::string> quantityLabels(Runs runs) {
    if (isMany(runs))
        return marksOf(runs);
    std::vector<std::string> labels{analysis::runMark(0)};
    for (std::size_t run = 1; run < runs.size(); ++run) {
        const std::string mark = analysis::runMark(run);
        labels.insert(labels.end(), {mark, mark + " to " + labels.front(), kDifference});
    }
    return labels;
}

// Values, and how they differ from the first run's: beside them, or in rows in brackets.
Line quantityLine(Runs runs, Normalisation by, const Changes& changes, std::size_t quantity) {
    Line line{analysis::comparedQuantities()[quantity].title, {}};
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const Difference& change = changes[run][quantity];
        const std::string words = plot::changeText(change);
        line.cells.push_back(valueText(*runs[run], quantity, by));
        if (run == 0)
            continue;
        if (!isMany(runs))
            line.cells.insert(line.cells.end(), {words, weightText(change)});
        else if (words != text::kMissing)
            line.cells.back()
                += fmt::format(" ({}{})", words, change.weight == Weight::Beyond ? " *" : "");
    }
    return line;
}

Topic quantitiesOf(Runs runs, Normalisation by, const std::vector<std::string>& wanted) {
    Topic topic{"Compared quantities", "Quantity", quantityLabels(runs)};
    Changes changes;
    for (const RunMeasures* run : runs)
        changes.push_back(differencesOf(*runs.front(), *run, by));
    const auto& quantities = analysis::comparedQuantities();
    for (std::size_t at = 0; at < quantities.size(); ++at) {
        const bool isKnown = std::ranges::any_of(
            runs, [&](const RunMeasures* run) { return run->normalised(at, by).has_value(); });
        const bool isWanted
            = wanted.empty() || std::ranges::find(wanted, quantities[at].key) != wanted.end();
        if (isKnown && isWanted)
            topic.lines.push_back(quantityLine(runs, by, changes, at));
    }
    return topic;
}

using Parts = std::vector<std::map<std::string, double>>; // by run: s, by name

// A line for each name that any run has.
Topic partsOf(Runs runs, std::string title, std::string head, const Parts& parts) {
    Topic topic{std::move(title), std::move(head), marksOf(runs)};
    std::map<std::string, Line> lines;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto& traced = runs[run]->traced;
        if (traced && traced->basis == analysis::TraceBasis::Trace)
            topic.labels[run] += ", all of the trace";
        for (const auto& [name, seconds] : parts[run]) {
            Line& line = lines[name];
            line.title = name;
            line.cells.resize(runs.size(), text::kMissing);
            line.cells[run] = text::aligned(seconds, "s");
        }
    }
    for (auto& [name, line] : lines)
        topic.lines.push_back(std::move(line));
    return topic;
}

Topic categoriesOf(Runs runs) {
    Parts parts(runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run) {
        if (!runs[run]->traced)
            continue;
        for (const auto& part : runs[run]->traced->all.parts)
            parts[run][std::string(analysis::KernelCategories::label(part.category))
                + (part.isCommunication ? " exposed" : "")]
                = part.seconds;
    }
    return partsOf(runs, "Where the step goes", "Part", parts);
}

Topic phasesOf(Runs runs) {
    Parts parts(runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const auto phase : analysis::kAllPhases) {
            if (runs[run]->traced && runs[run]->traced->phases[phase] > 0.0)
                parts[run][phaseTitle(phase)] = runs[run]->traced->phases[phase];
        }
    }
    return partsOf(runs, "Phases of the step", "Phase", parts);
}

// With the difference of the second to the first where there are two.
Topic operatorsOf(Runs runs, std::span<const analysis::StepOperator> operators) {
    Topic topic{"Operators that differ most", "Operator, time in a step", marksOf(runs)};
    const bool isPair = runs.size() == 2;
    if (isPair)
        topic.labels.emplace_back(kDifference);
    for (const auto& one : operators) {
        Line line{one.name, {}};
        for (const auto& seconds : one.seconds)
            line.cells.push_back(seconds ? text::rounded(*seconds, "s") : text::kMissing);
        const double change
            = isPair ? one.seconds[1].value_or(0.0) - one.seconds[0].value_or(0.0) : 0.0;
        if (isPair)
            line.cells.push_back((change > 0.0 ? "+" : "−") + text::rounded(std::abs(change), "s"));
        topic.lines.push_back(std::move(line));
    }
    return topic;
}

Topic configurationOf(Runs runs) {
    Topic topic{"What is configured differently", "Setting", marksOf(runs)};
    for (const auto& difference : analysis::configDifferences(runs)) {
        Line line{difference.title, {}};
        for (const auto& value : difference.values)
            line.cells.push_back(value.value_or(text::kMissing));
        topic.lines.push_back(std::move(line));
    }
    return topic;
}

} // namespace

std::vector<Table> comparisonTables(Runs runs, Normalisation by,
    const std::vector<std::string>& quantities, std::span<const analysis::StepOperator> operators) {
    std::vector<Table> tables;
    addTables(quantitiesOf(runs, by, quantities), isMany(runs), tables);
    if (!tables.empty()) {
        auto& notes = tables.back().notes;
        notes.push_back(plot::normalisationText(by));
        notes.push_back("The spread is that over iterations: Welch's t-test on their values at "
                        "95 %."
            + (isMany(runs) ? " In brackets the change to " + analysis::runMark(0)
                        + ", * beyond the spread."
                            : std::string()));
    }
    for (const auto& topic :
        {categoriesOf(runs), operatorsOf(runs, operators), phasesOf(runs), configurationOf(runs)})
        addTables(topic, isMany(runs), tables);
    return tables;
}

} // namespace trainscope::report
