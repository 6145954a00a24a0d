#include "app/cli/commands/Answers.h"
#include "app/cli/commands/Command.h"
#include "app/cli/output/RunOutput.h"
#include "core/analysis/overview/Overview.h"

namespace trainscope::cli {

namespace {

using analysis::Overview;
using analysis::OverviewPart;
using analysis::OverviewSentence;

Json sentenceJson(const Overview& overview, const OverviewSentence& told) {
    const auto& evidence = told.evidence;
    return object({{"topic", told.topic}, {"title", std::string(titleOf(told.topic))},
        {"text", told.text}, {"values", told.values}, {"unit", given(told.unit)},
        {"parts",
            listOf(told.parts,
                [](const OverviewPart& part) {
                    return Json{{"name", part.name}, {"value", part.value}};
                })},
        {"evidence",
            object({{"view", analysis::proofPlace(overview, told)},
                {"rank", when(evidence.rank >= 0, evidence.rank)},
                {"start_ns", evidence.range.begin.ns}, {"end_ns", evidence.range.end.ns},
                {"metric", given(evidence.metric)}})}});
}

Json overviewJson(const Overview& overview) {
    const auto ofSentence
        = [&](const OverviewSentence& told) { return sentenceJson(overview, told); };
    const auto notMade = [](const analysis::MissingData& one) {
        return Json{{"for_want_of", one.data}, {"checks", one.checks}};
    };
    return {{"run", overview.run.name}, {"line", overview.line}, {"window", overview.window},
        {"sentences", listOf(overview.sentences, ofSentence)},
        {"checks",
            {{"made", overview.checks.made}, {"findings", overview.checks.findings},
                {"not_made", listOf(overview.checks.missing, notMade)}}}};
}

void printOverview(std::ostream& out, const Overview& overview) {
    out << overview.run.name << ": " << overview.line << '\n' << overview.window << '\n';
    for (const OverviewSentence& told : overview.sentences) {
        out << '\n' << titleOf(told.topic) << "\n  " << told.text;
        std::string_view between = "\n  ";
        for (const auto& [name, value] : told.values)
            out << std::exchange(between, " ") << name << '=' << text::number(value, 6);
        out << "\n  see " << analysis::proofPlace(overview, told);
        if (told.evidence.rank >= 0)
            out << ", rank " << told.evidence.rank;
        out << (told.evidence.metric.empty() ? "" : ", " + told.evidence.metric) << ", "
            << stretchText(out, overview.run, told.evidence.range) << '\n';
    }
    out << '\n' << checkedText(overview.checks) << '\n';
    for (const std::string& finding : overview.checks.findings)
        out << "  " << finding << '\n';
    if (!overview.checks.missing.empty())
        out << notCheckedText(overview.checks) << '\n';
}

Outcome overviewOfRun(const OneRunOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto overview, analysis::overviewOf({store, shownOn(console)}, run));
    return show(console, options.json, overviewJson, printOverview, overview);
}

} // namespace

Result<Json> overviewAnswer(const analysis::RunStudies& studies, const Run& run) {
    ASSIGN_OR_RETURN(const auto overview, analysis::overviewOf(studies, run));
    return overviewJson(overview);
}

void addOverviewCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<OneRunOptions>(app, "overview",
        "The most telling sentences on a run, each with its numbers and where it shows",
        {"overview#sentences"});
    addJson(*command, options->json);
    runsOnRun(*command, context, options, overviewOfRun);
}

} // namespace trainscope::cli
