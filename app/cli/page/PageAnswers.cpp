#include "app/cli/page/PageAnswers.h"

#include "app/cli/commands/Answers.h"
#include "app/cli/output/CompareOutput.h"
#include "core/model/Try.h"
#include "core/report/ComparisonTables.h"

#include <fmt/format.h>

#include <charconv>

namespace trainscope::cli {

namespace {

using RunAnswer = Result<Json> (*)(const analysis::RunStudies& studies, const Run& run);
constexpr std::pair<std::string_view, RunAnswer> kRunAnswers[]{
    {"overview", overviewAnswer}, {"kernels", kernelsAnswer}, {"summary", summaryAnswer}};
constexpr std::string_view kCompare = "compare";

// Cells as people read them, with the number to sort by where there is one.
Json pageTableJson(const text::Table& table) {
    const auto columnJson = [](const text::Column& column) {
        return object(
            {{"title", column.title}, {"left", when(column.align == text::Align::Left, true)}});
    };
    const auto rowJson = [&table](const std::vector<text::Cell>& row) {
        Json cells = Json::array();
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string words = row[i].inWords(table.columns[i], text::Digits::Aligned);
            const std::string number = row[i].isMissing() ? words : row[i].inCsv();
            cells.push_back(words == number ? Json(words) : Json{words, number});
        }
        return cells;
    };
    return object({{"title", given(table.title)}, {"columns", listOf(table.columns, columnJson)},
        {"rows", listOf(table.rows, rowJson)}, {"notes", when(!table.notes.empty(), table.notes)}});
}

} // namespace

PageAnswers::PageAnswers(const analysis::RunStudies& studies, std::vector<Run> runs)
    : m_studies(studies)
    , m_runs(std::move(runs)) { }

std::vector<std::string> PageAnswers::names() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        for (const auto& [name, answer] : kRunAnswers)
            all.push_back(fmt::format("{}-{}", name, i));
        if (m_runs.size() > 1)
            all.push_back(fmt::format("{}-{}", kCompare, i));
    }
    return all;
}

Result<std::string> PageAnswers::answer(std::string_view name) {
    const auto dash = std::min(name.find('-'), name.size());
    const std::string_view number = name.substr(std::min(dash + 1, name.size()));
    std::size_t run = m_runs.size();
    std::from_chars(number.data(), number.data() + number.size(), run);
    const std::string_view kind = name.substr(0, dash);
    if (run < m_runs.size() && kind == kCompare)
        return comparison(run);
    for (const auto& [key, answer] : kRunAnswers) {
        if (run >= m_runs.size() || kind != key)
            continue;
        const auto made = answer(m_studies, m_runs[run]);
        if (!made.hasValue() && made.error().code == ErrorCode::Cancelled)
            return made.error();
        return jsonText(made.hasValue() ? made.value() : Json{{"error", made.error().describe()}});
    }
    return Error{ErrorCode::NotFound, "A page has no such part.", std::string(name)};
}

Result<std::string> PageAnswers::comparison(std::size_t base) {
    while (m_measures.size() < m_runs.size()) {
        ASSIGN_OR_RETURN(
            auto measures, analysis::measuresOf(m_studies.of(m_runs[m_measures.size()])));
        m_measures.push_back(std::move(measures));
    }
    Json others = Json::array();
    for (std::size_t other = 0; other < m_runs.size(); ++other) {
        if (other == base) {
            others.push_back(nullptr);
            continue;
        }
        auto compared = analysis::comparisonOf({m_measures[base], m_measures[other]});
        const analysis::RunMeasures* const runs[]{&compared.runs[0], &compared.runs[1]};
        ASSIGN_OR_RETURN(compared.operators, analysis::stepOperators(m_studies, runs));
        const auto& verdict = compared.verdicts.front();
        Json told = verdictJson(verdict, {});
        told["explanation"] = verdict.explanation();
        others.push_back({{"verdict", std::move(told)},
            {"tables",
                listOf(report::comparisonTables(
                           runs, analysis::Normalisation::Absolute, {}, compared.operators),
                    pageTableJson)}});
    }
    return jsonText(others);
}

} // namespace trainscope::cli
