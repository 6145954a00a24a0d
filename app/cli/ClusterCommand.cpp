#include "app/cli/Command.h"
#include "app/cli/Json.h"
#include "app/cli/RunSelection.h"
#include "core/analysis/telemetry/AirflowGradient.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>

namespace trainscope::cli {

namespace {

struct Options {
    std::string database;
    std::vector<std::string> runs;
    std::string airflow;
    bool reset = false;
    bool json = false;

    [[nodiscard]] bool isChange() const { return reset || !airflow.empty(); }
};

struct Cluster {
    Run run;
    std::vector<int> locals; // of its GPUs, ascending
    std::vector<int> airflow; // as set
};

Result<Cluster> clusterOf(const store::Store& store, const Run& run) {
    const auto gpus = store.gpus(run.id);
    if (!gpus.hasValue())
        return gpus.error();
    auto airflow = store.airflow(run.id);
    if (!airflow.hasValue())
        return airflow.error();
    std::set<int> locals;
    for (const Gpu& gpu : gpus.value())
        locals.insert(gpu.local);
    return Cluster{run, {locals.begin(), locals.end()}, std::move(airflow).value()};
}

// Nothing is written unless all runs can take the order.
Status change(store::Store& store, const std::vector<Run>& runs, const Options& options) {
    analysis::AirflowOrder order;
    if (!options.reset) {
        auto parsed = analysis::parseAirflow(options.airflow);
        if (!parsed.hasValue())
            return parsed.error();
        order = std::move(parsed).value();
        for (const Run& run : runs) {
            const auto gpus = store.gpus(run.id);
            if (!gpus.hasValue())
                return gpus.error();
            if (Status status = analysis::checkAirflow(order, gpus.value()); !status.hasValue())
                return Error{ErrorCode::Usage, run.name + ": " + status.error().message, {}};
        }
    }
    for (const Run& run : runs) {
        if (Status status = store.setAirflow(run.id, order); !status.hasValue())
            return status;
    }
    return {};
}

std::string listed(const std::vector<int>& indices) {
    std::string text;
    for (const int index : indices)
        text += (text.empty() ? "" : ",") + std::to_string(index);
    return text.empty() ? "-" : text;
}

Json clusterJson(const Cluster& cluster) {
    return {{"name", cluster.run.name}, {"gpu_model", cluster.run.gpuModel},
        {"nodes", cluster.run.nodeCount}, {"gpus", cluster.run.gpuCount},
        {"airflow", cluster.airflow.empty() ? cluster.locals : cluster.airflow},
        {"airflow_assumed", cluster.airflow.empty()}};
}

void printCluster(const Cluster& cluster, std::ostream& out) {
    const Run& run = cluster.run;
    out << run.name << ": " << run.gpuCount << (run.gpuCount == 1 ? " GPU" : " GPUs") << " on "
        << run.nodeCount << (run.nodeCount == 1 ? " node" : " nodes")
        << (run.gpuModel.empty() ? "" : ", " + run.gpuModel) << "\n  airflow, front to rear: "
        << (cluster.airflow.empty() ? listed(cluster.locals) + " (assumed; set it with --airflow)"
                                    : listed(cluster.airflow))
        << '\n';
}

ExitStatus showClusters(const Options& options, const Console& console) {
    auto store = openDatabase(options.database,
        options.isChange() ? store::OpenMode::ReadWrite : store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return console.fail(store.error());
    const auto runs = selectRuns(store.value(), options.runs);
    if (!runs.hasValue())
        return console.fail(runs.error());
    if (options.isChange()) {
        if (Status status = change(store.value(), runs.value(), options); !status.hasValue())
            return console.fail(status.error());
    }
    Json json{{"runs", Json::array()}};
    for (const Run& run : runs.value()) {
        const auto cluster = clusterOf(store.value(), run);
        if (!cluster.hasValue())
            return console.fail(cluster.error());
        if (options.json)
            json["runs"].push_back(clusterJson(cluster.value()));
        else
            printCluster(cluster.value(), console.out());
    }
    if (options.json)
        printJson(console.out(), json);
    return ExitStatus::Done;
}

} // namespace

void addClusterCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "cluster", "Show a run's machine, and set in which order the air passes its GPUs");
    auto options = std::make_shared<Options>();
    command->add_option("DB", options->database, "The run database")->required();
    command->add_option("--run", options->runs, "Only this run; may be given several times")
        ->type_name("N")
        ->expected(1)
        ->take_all();
    auto* airflow = command->add_option("--airflow", options->airflow,
        "Local indices of a node's GPUs from front (fresh air) to rear");
    airflow->type_name("LIST");
    command->add_flag("--reset", options->reset, "Assume ascending local indices again")
        ->excludes(airflow);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(
        R"(The order is kept in the database and used wherever front and rear GPUs are compared.

Examples:
  trainscope-cli cluster runs.trainscope
  trainscope-cli cluster runs.trainscope --run N --airflow 4,5,6,7,0,1,2,3)");
    command->callback([options, &context] {
        context.action = [options, &context] { return showClusters(*options, context.console); };
    });
}

} // namespace trainscope::cli
