#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/CommandText.h"
#include "app/cli/options/TraceOptions.h"
#include "core/analysis/findings/Findings.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

using analysis::Finding;

struct FindingsOptions : OneRunOptions {
    std::optional<double> networkGbps;
    std::string capture; // empty: all of the run
};

Json findingJson(const Finding& finding) {
    const auto& evidence = finding.evidence;
    return {{"rule", finding.rule}, {"text", finding.text}, {"values", finding.values},
        {"evidence",
            object({{"rank", when(evidence.rank >= 0, evidence.rank)},
                {"start_ns", evidence.range.begin.ns}, {"end_ns", evidence.range.end.ns},
                {"metric", given(evidence.metric)}})},
        {"threshold", finding.threshold}, {"denominator", finding.denominator},
        {"severity", toString(finding.severity)}, {"cost", finding.cost}};
}

void printFindings(const Run& run, const std::string& capture, const std::vector<Finding>& findings,
    std::ostream& out) {
    out << run.name << (capture.empty() ? "" : " · " + capture) << ": "
        << (findings.empty() ? "nothing that deserves attention."
                             : text::counted(static_cast<std::int64_t>(findings.size()), "finding"))
        << '\n';
    for (const Finding& finding : findings) {
        out << '\n' << finding.text << "\n  " << finding.rule << ", " << toString(finding.severity);
        if (finding.evidence.rank >= 0)
            out << "; see rank " << finding.evidence.rank;
        out << (finding.evidence.metric.empty() ? "" : ", " + finding.evidence.metric) << ", from "
            << text::moment(finding.evidence.range.begin) << " for "
            << text::alignedDuration(finding.evidence.range.length())
            << "\n  threshold: " << finding.threshold << "\n  basis: " << finding.denominator
            << '\n';
    }
}

Outcome findingsOfRun(const FindingsOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    analysis::FindingsOptions wanted;
    wanted.networkBandwidth = bytesPerSecond(options.networkGbps);
    wanted.capture = options.capture;
    ASSIGN_OR_RETURN(
        const auto findings, analysis::findingsOf({store, run, shownOn(console)}, wanted));
    return show(
        console, options.json,
        [&] {
            return object({{"run", run.name}, {"capture", given(options.capture)},
                {"findings", listOf(findings, findingJson)}});
        },
        [&](std::ostream& out) { printFindings(run, options.capture, findings, out); });
}

} // namespace

void addFindingsCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "findings", "What deserves attention in a run, in plain sentences with their numbers");
    auto options = std::make_shared<FindingsOptions>();
    addOneRun(*command, *options);
    addOption(*command, "--network-gbps", options->networkGbps,
        "Peak of a GPU's network link per direction, Gbit/s: for the use of links between "
        "nodes",
        "N")
        ->check(aboveZero());
    addCapture(*command, options->capture);
    addJson(*command, options->json);
    setFooter(*command, {"findings#order", "numbers#straggler"},
        R"(Each finding states from where on its rule speaks, what its shares are shares of, and where it shows.
Of a capture, rules that speak of a whole run, as how it ended, say nothing.

Examples:
  trainscope-cli findings runs.trainscope --run gpt3-175b_3_00000
  trainscope-cli findings runs.trainscope --run gpt3-175b_3_00000 --json
  trainscope-cli findings runs.trainscope --run train --capture eager-16)");
    runsOnRun(*command, context, options, findingsOfRun);
}

} // namespace trainscope::cli
