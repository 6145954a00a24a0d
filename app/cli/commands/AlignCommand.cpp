#include "app/cli/commands/Command.h"
#include "core/analysis/traces/PowerEdges.h"
#include "core/analysis/traces/RankClocks.h"

namespace trainscope::cli {

namespace {

using analysis::RankClock;
using analysis::RankClocks;

std::string signedText(DurationNs duration) {
    const std::string text = text::alignedDuration({std::abs(duration.ns)});
    return duration.ns < 0 ? "-" + text : text;
}

std::string uncertaintyText(double ns) {
    return text::alignedDuration({std::llround(ns)});
}

Row clockRow(const RankClock& clock) {
    return {{"rank", {"rank"}, clock.rank},
        {"offset_ns", clock.offsetNs, {"offset"}, signedText({clock.offsetNs})},
        {"drift_ppm", clock.driftPpm, {"drift"}, fmt::format("{:.2f} ppm", clock.driftPpm)},
        {"uncertainty_ns", clock.traceUncertaintyNs, {"uncertainty"},
            uncertaintyText(clock.traceUncertaintyNs)},
        {"uncertainty_at_collectives_ns", clock.uncertaintyNs},
        {"collectives", {"collectives"}, clock.collectives},
        {"drift_error_ppm", clock.driftErrorPpm}, {"residual_ns", clock.residualNs},
        {"via", when(clock.via >= 0, clock.via), {"compared with"},
            clock.via < 0 ? "reference" : "rank " + std::to_string(clock.via)}};
}

Row lagRow(const analysis::TelemetryLag& lag) {
    return {{"rank", {"rank"}, lag.rank},
        {"lag_s", lag.lagS, {"telemetry late by"}, signedText({std::llround(lag.lagS * 1e9)})},
        {"error_s", lag.errorS, {"error"}, uncertaintyText(lag.errorS * 1e9)},
        {"correlation", lag.correlation, {"correlation"}, fmt::format("{:.2f}", lag.correlation)},
        {"ambiguous", lag.isAmbiguous, {"", Left},
            lag.isAmbiguous ? "other lags fit as well" : ""}};
}

Json clocksJson(const RankClocks& clocks, const analysis::TelemetryLags& lags) {
    Json json{{"ranks", rowsJson(clocks.ranks, clockRow)},
        {"unaligned", reasonsJson(clocks.unaligned)}, {"telemetry", rowsJson(lags.ranks, lagRow)},
        {"telemetry_unknown", reasonsJson(lags.unknown)},
        {"method", "ends of matched collectives, bounded by their starts"}};
    if (clocks.referenceRank >= 0)
        add(json,
            {{"reference_rank", clocks.referenceRank}, {"reference_ns", clocks.reference},
                {"largest_correction_ns", clocks.largestCorrection.ns},
                {"clocks_agree", clocks.agree}});
    return json;
}

void printClocks(const RankClocks& clocks, std::ostream& out) {
    if (clocks.ranks.size() < 2)
        out << "There is no second rank whose clock can be compared.\n";
    else if (clocks.agree)
        out << "The clocks agree: no correction is beyond its uncertainty.\n";
    else
        out << "The clocks differ by up to "
            << text::alignedDuration({std::abs(clocks.largestCorrection.ns)}) << ", known to "
            << uncertaintyText(clocks.largestTraceUncertaintyNs) << ".\n";
    if (clocks.ranks.size() > 1) {
        out << "Offsets are to the clock of rank " << clocks.referenceRank << " at "
            << text::moment(clocks.reference) << ".\n";
        printBelow(out, tableOf(clocks.ranks, clockRow));
    }
    for (const auto& [rank, reason] : clocks.unaligned)
        out << "rank " << rank << " is not aligned. " << reason << '\n';
}

void printLags(const analysis::TelemetryLags& lags, std::ostream& out) {
    if (lags.ranks.empty() && lags.unknown.empty())
        return;
    out << "\nTelemetry against traces, from power and kernels:\n";
    printTable(out, tableOf(lags.ranks, lagRow));
    for (const auto& [rank, reason] : lags.unknown)
        out << "  rank " << rank << ": " << reason << '\n';
}

void printAlignment(
    std::ostream& out, const RankClocks& clocks, const analysis::TelemetryLags& lags) {
    printClocks(clocks, out);
    printLags(lags, out);
}

Outcome align(const OneRunOptions& options, const Console& console, const store::Store& store,
    const Run& run) {
    const analysis::RunStudy study(store, run, untilCancelled(console));
    ASSIGN_OR_RETURN(const auto clocks, analysis::alignRanks(study));
    if (clocks.ranks.empty())
        console.warn("The run '" + run.name
            + "' has no traces; import the Kineto traces of its ranks to compare their clocks.");
    ASSIGN_OR_RETURN(const auto lags, analysis::telemetryLags(study));
    return show(console, options.json, clocksJson, printAlignment, clocks, lags);
}

} // namespace

void addAlignCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<OneRunOptions>(app, "align",
        "How far the clocks of a run's ranks are apart, from their collectives",
        {"numbers#clock-offset"});
    addJson(*command, options->json);
    runsOnRun(*command, context, options, align);
}

} // namespace trainscope::cli
