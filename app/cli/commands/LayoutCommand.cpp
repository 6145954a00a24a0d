#include "app/cli/commands/Command.h"
#include "app/cli/options/LayoutOptions.h"
#include "app/cli/output/LayoutOutput.h"
#include "core/analysis/cluster/RunBytes.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/layout/Layout.h"

namespace trainscope::cli {
namespace {

// The traced schedule of a run's pipeline, for `trainscope-cli layout --traced`.

// The nearest first.
Json plansJson(const analysis::TracedSchedule& schedule) {
    return listOf(schedule.plans, [&](const analysis::PlanFit& fit) {
        return object({{"kind", toString(fit.kind)}, {"makespan_s", fit.makespan},
            {"bubble_fraction", fit.bubbleFraction},
            {"longer_fraction", schedule.traced.makespan / fit.makespan - 1.0},
            {"same_order_fraction", fit.sameOrder}});
    });
}

Row tracedStageRow(const analysis::StageBubble& one, std::size_t stage) {
    const auto rank = when(one.rank >= 0, one.rank);
    return {{"stage", {"stage"}, stage},
        {"rank", rank, {"rank"}, rank ? std::to_string(*rank) : std::string()},
        {"bubble_fraction", one.traced, {"bubbles"}, text::percent(one.traced)},
        {"planned_bubble_fraction", one.planned, {"planned"}, text::percent(one.planned)}};
}

Json tracedScheduleJson(const analysis::TracedSchedule& schedule, bool withTasks) {
    const auto& traced = schedule.traced;
    Json json = object({{"kind", toString(traced.kind)}, {"whole_step", schedule.isWhole},
        {"begin_ns", schedule.begin.ns}, {"from_s", schedule.windowFrom},
        {"to_s", schedule.windowTo}, {"bubble_fraction", schedule.tracedBubble},
        {"basis", schedule.basis}, {"notes", schedule.notes},
        {"known_order", schedule.isKnownOrder}, {"iteration", schedule.iteration},
        {"planned_bubble_fraction", schedule.plannedBubble},
        {"ideal_bubble_fraction", schedule.idealBubble},
        {"microbatches", when(traced.microbatches > 0, traced.microbatches)},
        {"virtual_stages", traced.virtualStages},
        {"microbatches_estimated", when(schedule.isEstimated, true)},
        {"plans", when(!schedule.plans.empty(), plansJson(schedule))}});
    if (schedule.planned)
        json["planned_kind"] = toString(schedule.planned->kind);
    json["stages"] = rowsJson(schedule.stages, tracedStageRow);
    if (withTasks)
        json["tasks"] = tasksJson(traced);
    if (withTasks && schedule.planned)
        json["planned_tasks"] = tasksJson(*schedule.planned);
    return json;
}

void printTracedSchedule(std::ostream& out, const analysis::TracedSchedule& schedule) {
    out << "\nas traced";
    if (schedule.iteration)
        out << fmt::format(" in iteration {}", *schedule.iteration);
    out << fmt::format(": bubbles {}", text::percent(schedule.tracedBubble));
    if (schedule.plannedBubble)
        out << fmt::format(", {} planned ({}) with the traced durations",
            text::percent(schedule.plannedBubble), titleOf(schedule.planned->kind));
    out << '\n';
    printTable(out, tableOf(schedule.stages, tracedStageRow));
    if (const std::string sentence = analysis::planSentence(schedule); !sentence.empty())
        out << sentence << '\n';
    out << schedule.basis << '\n';
    for (const std::string& note : schedule.notes)
        out << note << '\n';
}

// Bytes that the ranks of a run exchange per step, computed beside measured: `layout --traffic`.

using analysis::EdgeBytes;
using analysis::GroupBytes;
using analysis::LinkBytes;
using analysis::NodeBytes;
using analysis::RunBytes;
using layout::CommunicatorKind;
using layout::Layout;

constexpr std::size_t kMostPrinted = 24; // edges in the text

std::vector<int> ranksOf(const Layout& layout, std::optional<int> rank) {
    return rank ? std::vector{*rank} : layout.grid.groupOf(CommunicatorKind::Pipeline, 0);
}

std::vector<int> membersOf(const Layout& layout, int rank, const std::string& group) {
    for (const auto& one : communicatorsOf(layout, rank)) {
        if (infoOf(one.kind).key == group)
            return one.ranks;
    }
    return {};
}

Row groupBytesRow(const GroupBytes& one, const std::vector<int>& ranks) {
    return {{"ranks", when(!ranks.empty(), ranks), {"ranks", Left}, text::rankList(ranks)},
        {"computed_b_per_step", inUnit("computed", "B"), one.computed},
        {"measured_b_per_step", inUnit("measured", "B"), one.measured},
        {"busy_s_per_step", one.busySeconds},
        {"bandwidth_b_per_s", inUnit("while busy", "B/s"), one.bandwidth()},
        {"link", one.link, {"link", Left}, given(std::string(titleOf(one.link)))},
        {"what", {"what", Left}, one.what}};
}

Row nodeRow(const NodeBytes& node) {
    const auto linkJson = [](const LinkBytes& link) {
        return object(
            {{"computed_b_per_step", link.computed}, {"counted_b_per_step", link.counters}});
    };
    return {{"node", {"node"}, node.node}, {"scale_up", linkJson(node.scaleUp)},
        {"scale_out", linkJson(node.scaleOut)},
        {"", inUnit("inside, computed", "B"), node.scaleUp.computed},
        {"", inUnit("counted", "B"), node.scaleUp.counters},
        {"", inUnit("outside, computed", "B"), node.scaleOut.computed},
        {"", inUnit("counted", "B"), node.scaleOut.counters},
        {"pcie_b_per_step", inUnit("PCIe counted", "B"), node.pcie},
        {"scale_up_b_per_s_per_gpu", inUnit("inside, per GPU", "B/s"), node.scaleUpRate}};
}

Row edgeRow(const EdgeBytes& edge) {
    return {{"a", edge.a}, {"b", edge.b},
        {"", {"nodes", Left}, fmt::format("{} and {}", edge.a, edge.b)},
        {"group", {"group", Left}, edge.group},
        {"computed_b_per_step", inUnit("computed", "B"), edge.computed},
        {"measured_b_per_step", inUnit("measured", "B"), edge.measured}};
}

text::Table rankBytesTable(
    const RunBytes& bytes, const Layout& layout, const std::vector<int>& ranks) {
    text::Table table;
    for (const int rank : ranks) {
        for (const GroupBytes& one : bytes.ranks[static_cast<std::size_t>(rank)]) {
            addRow(table,
                joined({{"", {"rank"}, rank}, {"", {"group", Left}, one.group}},
                    groupBytesRow(one, membersOf(layout, rank, one.group))));
        }
    }
    table.title = "sent by a rank per step";
    return table;
}

text::Table edgeBytesTable(const RunBytes& bytes) {
    std::vector<EdgeBytes> edges = bytes.edges;
    const auto most
        = [](const EdgeBytes& edge) { return edge.measured.value_or(edge.computed.value_or(0.0)); };
    std::ranges::stable_sort(edges, std::greater<>(), most);
    return titled(
        "between nodes per step, both directions together", tableOf(edges, edgeRow, kMostPrinted));
}

// Bytes of one rank, or of the first rank of each stage; nodes and the lines between them always.
Json bytesJson(const RunBytes& bytes, const Layout& layout, std::optional<int> rank) {
    const auto rankJson = [&](int one) {
        const auto memberOf = [&](const GroupBytes& group) {
            return Member(
                group.group, rowJson(groupBytesRow(group, membersOf(layout, one, group.group))));
        };
        return Json{{"rank", one}, {"stage", layout.grid.position(one).pipeline},
            {"groups", objectOf(bytes.ranks[static_cast<std::size_t>(one)], memberOf)}};
    };
    return object({{"ranks", listOf(ranksOf(layout, rank), rankJson)},
        {"nodes", rowsJson(bytes.nodes, nodeRow)}, {"edges", rowsJson(bytes.edges, edgeRow)},
        {"step_time_s", bytes.stepSeconds}, {"notes", bytes.notes}});
}

void printBytes(
    std::ostream& out, const RunBytes& bytes, const Layout& layout, std::optional<int> rank) {
    printBelow(out, rankBytesTable(bytes, layout, ranksOf(layout, rank)));
    printBelow(out, titled("sent by a node's GPUs per step", tableOf(bytes.nodes, nodeRow)));
    printBelow(out, edgeBytesTable(bytes));
    out << '\n';
    for (const auto& note : bytes.notes)
        out << note << '\n';
}

struct LayoutCommandOptions : OneRunOptions {
    LayoutOptions layout;
    bool tasks = false;
    bool traced = false;
    std::optional<std::int64_t> iteration;
    bool save = false;
    bool forget = false;
    bool traffic = false;
    std::optional<int> rank;
};

// A run and what is known of its layout.
struct Origin {
    std::string run;
    std::string key; // key of the LayoutOrigin, or "options"
    std::string wording;
};

// Everything to print of a layout.
struct Report {
    layout::Layout layout;
    std::optional<Origin> origin;
    std::optional<layout::TrafficModel> traffic;
    std::optional<analysis::RunBytes> bytes; // computed beside measured, where asked for
    std::optional<analysis::TracedSchedule> traced;
};

Json reportJson(
    const LayoutCommandOptions& options, const Report& report, const layout::Schedule* schedule) {
    Json json = Json::object();
    if (report.origin)
        json = {{"run", report.origin->run},
            {"source", {{"origin", report.origin->key}, {"text", report.origin->wording}}}};
    json.update(layoutJson(report.layout, schedule, options.tasks));
    if (report.traffic)
        json["traffic"] = trafficJson(report.layout, *report.traffic);
    if (report.bytes)
        json["bytes"] = bytesJson(*report.bytes, report.layout, options.rank);
    if (report.traced)
        json["traced"] = tracedScheduleJson(*report.traced, options.tasks);
    return json;
}

void printReport(std::ostream& out, const LayoutCommandOptions& options, const Report& report,
    const layout::Schedule* schedule) {
    if (report.origin)
        out << report.origin->run << ": layout from " << report.origin->wording << '\n';
    printLayout(out, report.layout, schedule);
    if (report.bytes)
        printBytes(out, *report.bytes, report.layout, options.rank);
    else if (report.traffic)
        printTraffic(out, report.layout, *report.traffic);
    if (report.traced)
        printTracedSchedule(out, *report.traced);
}

ExitStatus print(
    const LayoutCommandOptions& options, const Console& console, const Report& report) {
    const auto plan = layout::planSchedule(report.layout);
    const bool isRefused = !plan.hasValue() && plan.error().code != ErrorCode::NotFound;
    if (isRefused)
        console.warn(plan.error().message);
    const layout::Schedule* schedule = plan.hasValue() ? &plan.value() : nullptr;
    show(console, options.json, reportJson, printReport, options, report, schedule);
    return isRefused ? ExitStatus::Partly : ExitStatus::Done;
}

// The layout asked for over what is known of the run, and the traffic where the model is known.
Result<Report> reportOf(const LayoutCommandOptions& options, const layout::LayoutRequest& known,
    const LaunchConfig& launch) {
    ASSIGN_OR_RETURN(auto request, options.layout.over(known, launch.microBatch));
    ASSIGN_OR_RETURN(const auto model, options.layout.over(launch));
    const auto& catalogue = catalogue::modelCatalogue();
    const auto shape = analysis::shapeOf(model, catalogue);
    auto& layers = request.layers;
    if (shape.hasValue() && !layers && request.stageLayers.empty())
        layers = shape.value().model.layers;
    ASSIGN_OR_RETURN(auto made, layout::makeLayout(request));
    Report report{std::move(made), {}, {}, {}, {}};
    if (known.microbatches && !request.microbatches)
        report.layout.notes.push_back("The samples of a step are no whole number of micro-batches "
                                      "here: say how many with --microbatches.");
    const auto traffic = analysis::trafficModelOf(model, catalogue);
    const bool isKnown = !report.layout.chunks.empty() && report.layout.microbatches;
    if (traffic.hasValue() && isKnown)
        report.traffic = traffic.value();
    return report;
}

Result<analysis::RunLayout> knownLayout(
    const analysis::RunStudy& study, const LayoutCommandOptions& options) {
    const auto known = analysis::runLayout(study);
    const bool isByHand = options.layout.saysDegrees();
    if (known.hasValue() || !isByHand || known.error().code != ErrorCode::NotFound)
        return known;
    analysis::RunLayout none;
    if (study.run.gpuCount > 0)
        none.request.worldSize = std::max(study.run.worldSize, study.run.gpuCount);
    return none;
}

// Keeps the layout given for the run, over what is known of it, or takes back what was kept.
Status enter(store::Store& store, const Run& run, const LayoutCommandOptions& options,
    const Console& console) {
    if (options.forget)
        return analysis::enterLayout(store, run, std::nullopt);
    ASSIGN_OR_RETURN(const auto known, knownLayout({store, run, untilCancelled(console)}, options));
    ASSIGN_OR_RETURN(const auto request, options.layout.over(known.request, std::nullopt));
    return analysis::enterLayout(store, run, request);
}

// Reads the bytes that the ranks exchange, with the model that options name.
Status readBytes(const store::Store& store, Run run, const LayoutCommandOptions& options,
    const Console& console, Report& report) {
    const int world = report.layout.grid.worldSize();
    if (options.rank && *options.rank >= world)
        return Error{ErrorCode::NotFound,
            "There is no rank " + std::to_string(*options.rank) + "; there are 0 to "
                + std::to_string(world - 1) + ".",
            run.name};
    ASSIGN_OR_RETURN(run.launch, options.layout.over(run.launch));
    ASSIGN_OR_RETURN(
        report.bytes, analysis::runBytes({store, run, untilCancelled(console)}, report.layout));
    return {};
}

Status readTraced(
    const analysis::RunStudy& study, const LayoutCommandOptions& options, Report& report) {
    analysis::TraceQuery query{options.iteration, std::nullopt};
    if (!options.layout.schedule.empty()) {
        ASSIGN_OR_RETURN(query.plan, layout::scheduleKindFromString(options.layout.schedule));
    }
    ASSIGN_OR_RETURN(report.traced, analysis::tracedSchedule(study, query));
    return {};
}

Outcome printOfRun(LayoutCommandOptions options, const Console& console) {
    const bool isChange = options.save || options.forget;
    ASSIGN_OR_RETURN(auto store,
        openDatabase(
            options.database, isChange ? store::OpenMode::ReadWrite : store::OpenMode::ReadOnly));
    ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
    if (isChange)
        RETURN_IF_ERROR(enter(store, run, options, console));
    // A saved layout is printed as the database has it now.
    if (options.save)
        options.layout.forgetLayout();
    ASSIGN_OR_RETURN(const auto known, knownLayout({store, run, untilCancelled(console)}, options));
    ASSIGN_OR_RETURN(auto report, reportOf(options, known.request, run.launch));
    auto& notes = report.layout.notes;
    notes.insert(notes.begin(), known.notes.begin(), known.notes.end());
    report.origin = {run.name, std::string(toString(known.origin)), known.wording};
    if (options.layout.saysDegrees())
        report.origin = {run.name, "options", "the options given"};
    else if (!options.save && options.layout.saysLayout())
        report.origin->wording += ", with the options given";
    if (options.traffic)
        RETURN_IF_ERROR(readBytes(store, run, options, console, report));
    if (options.traced || options.iteration)
        RETURN_IF_ERROR(readTraced({store, run, untilCancelled(console)}, options, report));
    return print(options, console, report);
}

Outcome printLayoutOf(const LayoutCommandOptions& options, const Console& console) {
    if (!options.database.empty())
        return printOfRun(options, console);
    const bool isOfNoModel
        = options.layout.model.empty() && (options.layout.sequence || options.layout.microBatch);
    const char* problem = !options.run.empty() ? "A run is one of a database: say which."
        : isOfNoModel
        ? "--sequence and --micro-batch tell what a model exchanges: say which with --model."
        : options.traffic
        ? "--traffic compares with what a run recorded: say a database and its run."
        : options.traced || options.iteration
        ? "Traces are those of a run: say in which database, and of which run."
        : options.save || options.forget
        ? "A layout is kept in a database: say which, and of which run."
        : nullptr;
    if (problem != nullptr)
        return usageError(problem);
    ASSIGN_OR_RETURN(const auto report, reportOf(options, {}, {}));
    return print(options, console, report);
}

} // namespace

void addLayoutCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "layout", "Where each rank sits, its groups, its layers, and the pipeline's schedule");
    auto options = std::make_shared<LayoutCommandOptions>();
    command->add_option("DB", options->database, "A run database: the layout of one of its runs");
    addOption(
        *command, "--run", options->run, "The run; may be left out where there is only one", "N");
    options->layout.addTo(*command);
    auto* save = command->add_flag(
        "--save", options->save, "Keep the layout given in the database, as entered by hand");
    command->add_flag("--forget", options->forget, "Take back the layout entered by hand")
        ->excludes(save);
    command->add_flag(
        "--tasks", options->tasks, "With --json: also the planned work of each stage");
    auto* traffic = command->add_flag("--traffic", options->traffic,
        "Bytes that the ranks of a run exchange per step, computed and as traces and counters show "
        "it");
    addOption(*command, "--rank", options->rank, "With --traffic: of this rank", "R")
        ->check(zeroOrMore())
        ->needs(traffic);
    command->add_flag("--traced", options->traced,
        "Also the pipeline as the run's traces show it, with its bubbles");
    addOption(*command, "--iteration", options->iteration,
        "The traced iteration; the one with most of it traced unless given", "K");
    addJson(*command, options->json);
    command->get_option("--tasks")->needs("--json");
    setFooter(*command, {"layout#where-the-layout-comes-from"});
    runs(*command, context, options, printLayoutOf);
}

} // namespace trainscope::cli
