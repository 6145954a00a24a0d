#include "app/cli/commands/Command.h"
#include "app/cli/options/TraceOptions.h"
#include "app/cli/output/RunOutput.h"
#include "core/analysis/findings/Findings.h"

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

Json findingsJson(
    const Run& run, const std::string& capture, const std::vector<Finding>& findings) {
    return object({{"run", run.name}, {"capture", given(capture)},
        {"findings", listOf(findings, findingJson)}});
}

void printFindings(std::ostream& out, const Run& run, const std::string& capture,
    const std::vector<Finding>& findings) {
    out << run.name << (capture.empty() ? "" : " · " + capture) << ": "
        << (findings.empty() ? "nothing that deserves attention."
                             : text::counted(static_cast<std::int64_t>(findings.size()), "finding"))
        << '\n';
    for (const Finding& finding : findings) {
        out << '\n' << finding.text << "\n  " << finding.rule << ", " << toString(finding.severity);
        if (finding.evidence.rank >= 0)
            out << "; see rank " << finding.evidence.rank;
        out << (finding.evidence.metric.empty() ? "" : ", " + finding.evidence.metric) << ", "
            << stretchText(out, run, finding.evidence.range)
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
    return show(console, options.json, findingsJson, printFindings, run, options.capture, findings);
}

} // namespace

void addFindingsCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<FindingsOptions>(app, "findings",
        "What deserves attention in a run, in plain sentences with their numbers",
        {"findings#order", "numbers#straggler"});
    addOption(*command, "--network-gbps", options->networkGbps,
        "Peak of a GPU's network link per direction, Gbit/s: for the use of links between "
        "nodes",
        "N")
        ->check(aboveZero());
    addCapture(*command, options->capture);
    addJson(*command, options->json);
    runsOnRun(*command, context, options, findingsOfRun);
}

} // namespace trainscope::cli
