#include "app/cli/commands/Command.h"
#include "app/cli/options/OneRun.h"
#include "app/cli/text/Json.h"
#include "app/cli/text/Quantity.h"
#include "app/cli/text/TextTable.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/KernelCategory.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

using analysis::CommunicationRow;
using analysis::CommunicationSummary;
using analysis::RankCommunication;

struct CollectivesOptions : OneRun {
    std::optional<double> networkGbps;
    bool ownClocks = false;
};

Json rowJson(const CommunicationRow& row) {
    Json json{{"kind", toString(row.kind)}, {"dimension", row.dimension},
        {"link", toString(row.link)}, {"ranks", row.ranks}, {"count", row.count}};
    setIfPresent(json, "size_from_b", row.leastBytes);
    setIfPresent(json, "bytes", row.bytes);
    json["transfer_s"] = row.transferS;
    json["wait_s"] = row.waitS;
    setIfPresent(json, "algorithm_bandwidth", row.algorithmBandwidth);
    setIfPresent(json, "algorithm_bandwidth_p50", row.algorithmBandwidthMedian);
    setIfPresent(json, "algorithm_bandwidth_p99", row.algorithmBandwidthP99);
    setIfPresent(json, "bus_bandwidth", row.busBandwidth);
    setIfPresent(json, "bus_bandwidth_p50", row.busBandwidthMedian);
    setIfPresent(json, "bus_bandwidth_p99", row.busBandwidthP99);
    setIfPresent(json, "link_peak", row.linkPeak);
    setIfPresent(json, "link_utilization", row.utilisation);
    return json;
}

Json rankJson(const RankCommunication& rank) {
    Json json{{"rank", rank.rank}, {"collectives", rank.collectives},
        {"times_last", rank.timesLast}, {"times_last_certain", rank.timesLastForCertain},
        {"wait_s", rank.waitS}, {"caused_wait_s", rank.causedWaitS}};
    if (rank.collectives > 0)
        json["mean_lateness_s"] = rank.latenessS;
    json["messages"] = rank.messages;
    json["message_wait_s"] = rank.messageWaitS;
    json["unmatched"] = rank.unmatched;
    return json;
}

Json summaryJson(const Run& run, const CommunicationSummary& summary) {
    Json json{{"run", run.name}, {"collectives", summary.collectives},
        {"incomplete", summary.incomplete}, {"unmatched", summary.unmatched},
        {"alone", summary.alone}, {"aligned_clocks", summary.onCommonClock},
        {"clock_uncertainty_ns", summary.clocks.largestUncertaintyNs}};
    setIfPresent(json, "straggler", summary.straggler);
    json["groups"] = Json::array();
    for (const CommunicationRow& row : summary.rows)
        json["groups"].push_back(rowJson(row));
    json["ranks"] = Json::array();
    for (const RankCommunication& rank : summary.ranks)
        json["ranks"].push_back(rankJson(rank));
    json["unaligned"] = Json::array();
    for (const auto& [rank, reason] : summary.clocks.unaligned)
        json["unaligned"].push_back({{"rank", rank}, {"reason", reason}});
    return json;
}

DurationNs asDuration(double seconds) {
    return {std::llround(seconds * 1e9)};
}

std::string shareText(const std::optional<double>& share) {
    return quantityText(share, "1", "utilization");
}

void printRows(const CommunicationSummary& summary, std::ostream& out) {
    TextTable table({{"collective", TextTable::Align::Left}, {"along", TextTable::Align::Left},
        {"link", TextTable::Align::Left}, {"ranks"}, {"size from"}, {"count"}, {"transfer"},
        {"waiting"}, {"algorithm"}, {"bus"}, {"median"}, {"p99"}, {"of link"}});
    for (const CommunicationRow& row : summary.rows) {
        std::string link(toString(row.link));
        table.add({std::string(analysis::KernelCategories::label(toString(row.kind))),
            row.dimension, std::move(link), std::to_string(row.ranks),
            row.leastBytes ? bytesText(*row.leastBytes) : "-", std::to_string(row.count),
            durationText(asDuration(row.transferS)), durationText(asDuration(row.waitS)),
            quantityText(row.algorithmBandwidth, "B/s"), quantityText(row.busBandwidth, "B/s"),
            quantityText(row.busBandwidthMedian, "B/s"), quantityText(row.busBandwidthP99, "B/s"),
            shareText(row.utilisation)});
    }
    table.print(out, "  ");
}

void printRanks(const CommunicationSummary& summary, std::ostream& out) {
    TextTable table({{"rank"}, {"collectives"}, {"last in"}, {"of them"}, {"for certain"},
        {"mean lateness"}, {"waited"}, {"made others wait"}, {"messages"}, {"unmatched"}});
    for (const RankCommunication& rank : summary.ranks) {
        const bool some = rank.collectives > 0;
        table.add({std::to_string(rank.rank), std::to_string(rank.collectives),
            std::to_string(rank.timesLast),
            some ? shareText(
                static_cast<double>(rank.timesLast) / static_cast<double>(rank.collectives))
                 : "-",
            std::to_string(rank.timesLastForCertain),
            some ? durationText(asDuration(rank.latenessS)) : "-",
            durationText(asDuration(rank.waitS)), durationText(asDuration(rank.causedWaitS)),
            std::to_string(rank.messages), std::to_string(rank.unmatched)});
    }
    table.print(out, "  ");
}

void printSummary(const CommunicationSummary& summary, std::ostream& out) {
    out << summary.collectives << " collectives matched across ranks, " << summary.incomplete
        << " of them without some recorded rank's part; " << summary.unmatched
        << " calls without a partner, " << summary.alone << " whose partners were not recorded.\n";
    if (!summary.onCommonClock)
        out << "Waits are by each rank's own clock.\n";
    else if (summary.clocks.ranks.size() > 1)
        out << "Clocks are aligned, known to "
            << durationText({std::llround(summary.clocks.largestUncertaintyNs)}) << ".\n";
    for (const auto& [rank, reason] : summary.clocks.unaligned)
        out << "rank " << rank << " is left out. " << reason << '\n';
    if (summary.rows.empty())
        return;
    out << '\n';
    printRows(summary, out);
    out << '\n';
    printRanks(summary, out);
}

ExitStatus printCollectives(const CollectivesOptions& options, const Console& console,
    const store::Store& store, const Run& run) {
    analysis::CommunicationOptions wanted;
    wanted.onCommonClock = !options.ownClocks;
    if (options.networkGbps)
        wanted.networkBandwidth = *options.networkGbps * 1e9 / 8.0;
    const auto summary = analysis::communicationOf(
        store, run, wanted, [&console](const ProgressState&) { return !console.isCancelled(); });
    if (!summary.hasValue())
        return console.fail(summary.error());
    if (summary.value().clocks.ranks.size() < 2)
        console.warn("The run '" + run.name
            + "' has no two traced ranks whose collectives could be matched; import the Kineto"
              " traces of all ranks.");
    if (options.json)
        printJson(console.out(), summaryJson(run, summary.value()));
    else
        printSummary(summary.value(), console.out());
    return ExitStatus::Done;
}

} // namespace

void addCollectivesCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "collectives", "Collectives matched across ranks: bandwidths, waits, stragglers");
    auto options = std::make_shared<CollectivesOptions>();
    addOneRun(*command, *options);
    command
        ->add_option("--network-gbps", options->networkGbps,
            "Peak of a GPU's network link per direction, Gbit/s")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    command->add_flag("--own-clocks", options->ownClocks,
        "Take waits by each rank's own clock instead of one common clock");
    addJson(*command, options->json);
    command->footer(
        R"(Calls are matched by communicator, kind, size and number. A collective's transfer lasts
from the start of its last part to that part's end; what the other parts spend before is waiting.
Algorithm bandwidth is size / transfer, bus bandwidth that × the factor of nccl-tests: 2(n-1)/n
for all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for broadcast and messages.
Of link: bus bandwidth against the GPU's scale-up link, or --network-gbps across nodes.

Examples:
  trainscope-cli collectives traces.trainscope
  trainscope-cli collectives runs.trainscope --run gpt3-175b_3_00000 --network-gbps 400 --json)");
    command->callback([options, &context] {
        context.action
            = [options, &context] { return withRun(*options, context.console, printCollectives); };
    });
}

} // namespace trainscope::cli
