#include "app/cli/commands/Command.h"
#include "app/cli/options/TraceOptions.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/KernelCategory.h"

#include <numeric>

namespace trainscope::cli {

namespace {

using analysis::CommunicationRow;
using analysis::CommunicationSummary;
using analysis::RankCommunication;

struct CollectivesOptions : OneRunOptions {
    std::optional<double> networkGbps;
    bool ownClocks = false;
    std::string capture; // empty: all of the run
};

DurationNs asDuration(double seconds) {
    return {std::llround(seconds * 1e9)};
}

Row communicatorRow(const CommunicationRow& row) {
    return {{"kind", row.kind, {"collective", Left},
                analysis::KernelCategories::label(toString(row.kind))},
        {"dimension", {"along", Left}, row.dimension}, {"link", {"link", Left}, row.link},
        {"ranks", {"ranks"}, row.ranks}, {"size_from_b", inUnit("size from", "B"), row.leastBytes},
        {"count", {"count"}, row.count}, {"partial", row.partial}, {"bytes", row.bytes},
        {"transfer_s", row.transferS, {"transfer"}, asDuration(row.transferS)},
        {"wait_s", row.waitS, {"waiting"}, asDuration(row.waitS)},
        {"algorithm_bandwidth", inUnit("algorithm", "B/s"), row.algorithmBandwidth},
        {"algorithm_bandwidth_p50", row.algorithmBandwidthMedian},
        {"algorithm_bandwidth_p99", row.algorithmBandwidthP99},
        {"bus_bandwidth", inUnit("bus", "B/s"), row.busBandwidth},
        {"bus_bandwidth_p50", inUnit("median", "B/s"), row.busBandwidthMedian},
        {"bus_bandwidth_p99", inUnit("p99", "B/s"), row.busBandwidthP99},
        {"link_peak", row.linkPeak}, {"link_utilization", inUnit("of link", "%"), row.utilisation}};
}

Row rankRow(const RankCommunication& rank) {
    const bool hasAny = rank.collectives > 0;
    const double share
        = static_cast<double>(rank.timesLast) / static_cast<double>(rank.collectives);
    return {{"rank", {"rank"}, rank.rank}, {"collectives", {"collectives"}, rank.collectives},
        {"times_last", {"last in"}, rank.timesLast},
        {"", inUnit("of them", "%"), when(hasAny, share)},
        {"times_last_certain", {"for certain"}, rank.timesLastForCertain},
        {"mean_lateness_s", when(hasAny, rank.latenessS), {"mean lateness"},
            when(hasAny, asDuration(rank.latenessS))},
        {"wait_s", rank.waitS, {"waited"}, asDuration(rank.waitS)},
        {"caused_wait_s", rank.causedWaitS, {"made others wait"}, asDuration(rank.causedWaitS)},
        {"messages", {"messages"}, rank.messages}, {"message_wait_s", rank.messageWaitS},
        {"unmatched", {"unmatched"}, rank.unmatched}};
}

Json communicationJson(
    const Run& run, const std::string& capture, const CommunicationSummary& summary) {
    return object(
        {{"run", run.name}, {"capture", given(capture)}, {"collectives", summary.collectives},
            {"incomplete", summary.incomplete}, {"unmatched", summary.unmatched},
            {"alone", summary.alone}, {"aligned_clocks", summary.onCommonClock},
            {"clock_uncertainty_ns", summary.clocks.largestUncertaintyNs},
            {"straggler", summary.straggler}, {"groups", rowsJson(summary.rows, communicatorRow)},
            {"ranks", rowsJson(summary.ranks, rankRow)},
            {"unaligned", reasonsJson(summary.clocks.unaligned)}});
}

void printCommunication(const CommunicationSummary& summary, std::ostream& out) {
    out << text::counted(summary.collectives, "collective") << " matched across ranks, "
        << summary.incomplete << " of them without some recorded rank's part; "
        << text::counted(summary.unmatched, "call") << " without a partner, " << summary.alone
        << " whose partners were not recorded.\n";
    if (!summary.onCommonClock)
        out << "Waits are by each rank's own clock.\n";
    else if (summary.clocks.ranks.size() > 1)
        out << "Clocks are aligned, known to "
            << text::alignedDuration({std::llround(summary.clocks.largestUncertaintyNs)}) << ".\n";
    for (const auto& [rank, reason] : summary.clocks.unaligned)
        out << "rank " << rank << " is left out. " << reason << '\n';
    if (summary.rows.empty())
        return;
    const auto partial = std::accumulate(summary.rows.begin(), summary.rows.end(), std::int64_t{0},
        [](std::int64_t sum, const CommunicationRow& row) { return sum + row.partial; });
    if (partial > 0)
        out << partial
            << " of them lack ranks of their group: their transfers hold the waiting for those, "
               "and "
               "bandwidths that rest on them alone are at least what stands here.\n";
    printBelow(out, tableOf(summary.rows, communicatorRow));
    printBelow(out, tableOf(summary.ranks, rankRow));
}

Outcome printCollectives(const CollectivesOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    const analysis::RunStudy study(store, run, untilCancelled(console));
    analysis::CommunicationOptions wanted;
    wanted.onCommonClock = !options.ownClocks;
    wanted.networkBandwidth = bytesPerSecond(options.networkGbps);
    if (!options.capture.empty()) {
        ASSIGN_OR_RETURN(const auto capture, analysis::captureWindows(study, options.capture));
        wanted.window = capture.closed();
    }
    ASSIGN_OR_RETURN(const auto summary, analysis::communicationOf(study, wanted));
    if (summary.clocks.ranks.size() < 2)
        console.warn("The run '" + run.name
            + "' has no two traced ranks whose collectives could be matched; import the Kineto"
              " traces of all ranks.");
    return show(
        console, options.json, [&] { return communicationJson(run, options.capture, summary); },
        [&](std::ostream& out) { printCommunication(summary, out); });
}

} // namespace

void addCollectivesCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<CollectivesOptions>(app, "collectives",
        "Collectives matched across ranks: bandwidths, waits, stragglers",
        {"numbers#transfer-and-waiting", "numbers#bandwidth"});
    addOption(*command, "--network-gbps", options->networkGbps,
        "Peak of a GPU's network link per direction, Gbit/s", "N")
        ->check(aboveZero());
    command->add_flag("--own-clocks", options->ownClocks,
        "Take waits by each rank's own clock instead of one common clock");
    addCapture(*command, options->capture);
    addJson(*command, options->json);
    runsOnRun(*command, context, options, printCollectives);
}

} // namespace trainscope::cli
