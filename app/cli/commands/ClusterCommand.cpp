#include "app/cli/commands/Command.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/telemetry/Airflow.h"
#include "core/catalogue/GpuGuess.h"
#include "core/store/Writing.h"
#include "importers/topology/TopologyFile.h"

#include <fmt/ranges.h>

namespace trainscope::cli {

namespace {

struct ClusterOptions : SomeRunsOptions {
    std::string airflow;
    std::string topology;
    std::string gpuModel;
    std::optional<int> nodesPerRack;
    std::optional<double> networkGbps;
    std::optional<int> linkDomain;
    bool reset = false;

    [[nodiscard]] bool saysMachine() const {
        return !topology.empty() || !gpuModel.empty() || nodesPerRack || networkGbps || linkDomain;
    }
    [[nodiscard]] bool isChange() const { return reset || !airflow.empty() || saysMachine(); }
};

struct Shown {
    Run run;
    std::vector<int> locals; // local indices of its GPUs, ascending
    layout::Cluster cluster;
    analysis::Airflow air;
};

std::vector<int> localsOf(const std::vector<Gpu>& gpus) {
    std::set<int> locals;
    for (const Gpu& gpu : gpus)
        locals.insert(gpu.local);
    return {locals.begin(), locals.end()};
}

Result<Shown> shownOf(const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto gpus, store.gpus(run.id));
    if (gpus.empty())
        return Shown{run, {}, {}, {}};
    const analysis::RunStudy study(store, run);
    ASSIGN_OR_RETURN(auto cluster, analysis::clusterOf(study, nullptr));
    ASSIGN_OR_RETURN(auto air, analysis::airflowOf(study));
    return Shown{run, localsOf(gpus), std::move(cluster), std::move(air)};
}

// Facts that the options state of every run.
struct Said {
    analysis::AirflowOrder airflow;
    layout::MachineFacts machine;
};

Result<Said> saidBy(const ClusterOptions& options, const Console& console) {
    Said said;
    if (!options.airflow.empty()) {
        ASSIGN_OR_RETURN(auto parsed, analysis::parseAirflow(options.airflow));
        said.airflow = std::move(parsed);
    }
    if (!options.topology.empty()) {
        ASSIGN_OR_RETURN(auto file, readTopologyFile(options.topology));
        for (const auto& warning : file.warnings)
            console.warn(warning);
        const auto name = std::filesystem::path(options.topology).filename().string();
        said.machine.topologyFrom = file.format + ", " + name;
        said.machine.topology = std::move(file.topology);
    }
    if (!options.gpuModel.empty() && catalogue::findGpuModel(options.gpuModel) == nullptr)
        console.warn("\"" + options.gpuModel
            + "\" is not in the hardware catalogue: its limits and peaks are not known.");
    said.machine.gpuModel = options.gpuModel;
    said.machine.nodesPerRack = options.nodesPerRack;
    said.machine.linkDomain = options.linkDomain;
    said.machine.networkBandwidth = bytesPerSecond(options.networkGbps);
    return said;
}

Status checkDomain(const Run& run, const layout::MachineFacts& said, const std::vector<Gpu>& gpus) {
    const auto locals = localsOf(gpus);
    const int perNode = locals.empty() ? 1 : locals.back() + 1;
    if (!said.linkDomain || (*said.linkDomain >= perNode && *said.linkDomain % perNode == 0))
        return {};
    return usageError(run.name + ": an NVLink domain of " + text::counted(*said.linkDomain, "GPU")
        + " does not consist of whole nodes of " + std::to_string(perNode) + ".");
}

Status check(const store::Store& store, const Run& run, const Said& said) {
    ASSIGN_OR_RETURN(const auto gpus, store.gpus(run.id));
    if (!said.airflow.empty()) {
        if (Status status = analysis::checkAirflow(said.airflow, gpus); !status.hasValue())
            return usageError(run.name + ": " + status.error().message);
    }
    RETURN_IF_ERROR(checkDomain(run, said.machine, gpus));
    if (!said.machine.topology)
        return {};
    const auto fit = layout::machineFit(layout::gpuIndices(*said.machine.topology), gpus);
    if (fit.isRefused)
        return usageError(run.name + ": " + fit.text);
    return {};
}

Status writeMachine(store::Store& store, const Run& run, const layout::MachineFacts& said) {
    ASSIGN_OR_RETURN(auto facts, analysis::machineOf({store, run}));
    if (said.topology) {
        facts.topology = said.topology;
        facts.topologyFrom = said.topologyFrom;
    }
    if (!said.gpuModel.empty())
        facts.gpuModel = said.gpuModel;
    if (said.nodesPerRack)
        facts.nodesPerRack = said.nodesPerRack;
    if (said.networkBandwidth)
        facts.networkBandwidth = said.networkBandwidth;
    if (said.linkDomain)
        facts.linkDomain = said.linkDomain;
    return store::setMachine(store, run.id, layout::machineToJson(facts));
}

Status forget(store::Store& store, const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        RETURN_IF_ERROR(store::setAirflow(store, run.id, {}));
        RETURN_IF_ERROR(store::setMachine(store, run.id, std::nullopt));
    }
    return {};
}

// Nothing is written unless all runs can take it.
Status change(store::Store& store, const std::vector<Run>& runs, const ClusterOptions& options,
    const Console& console) {
    if (options.reset)
        return forget(store, runs);
    ASSIGN_OR_RETURN(const auto said, saidBy(options, console));
    for (const Run& run : runs)
        RETURN_IF_ERROR(check(store, run, said));
    for (const Run& run : runs) {
        if (!said.airflow.empty())
            RETURN_IF_ERROR(store::setAirflow(store, run.id, said.airflow));
        if (options.saysMachine())
            RETURN_IF_ERROR(writeMachine(store, run, said.machine));
    }
    return {};
}

std::vector<int> airflowOf(const Shown& shown) {
    std::vector<int> order;
    if (shown.cluster.nodes.empty())
        return order;
    for (const auto& gpu : shown.cluster.nodes.front().gpus)
        order.push_back(gpu.local);
    return order;
}

std::string listed(const std::vector<int>& indices) {
    return indices.empty() ? text::kMissing : fmt::format("{}", fmt::join(indices, ","));
}

Row linksRow(const layout::Cluster& cluster) {
    Row row{{"scale_up", {"links in a node"}, given(cluster.scaleUp.name)},
        {"scale_up_b_per_s", inUnit("a GPU's, each way", "B/s"), cluster.scaleUp.bandwidth},
        {"pcie_b_per_s", inUnit("PCIe, each way", "B/s"), cluster.pcieBandwidth},
        {"network_b_per_s", inUnit("network of a GPU, each way", "B/s"), cluster.networkBandwidth},
        {"from", {"links as of"}, given(cluster.linksFrom)}};
    if (!cluster.topology || cluster.nodes.empty())
        return row;
    const auto& devices = cluster.topology->devices();
    row.push_back({"nearest_nic", objectOf(cluster.nodes.front().gpus, [&](const auto& gpu) {
                       return Member(std::to_string(gpu.local),
                           gpu.nic ? std::optional(devices[*gpu.nic].name) : std::nullopt);
                   })});
    return row;
}

Row clusterRow(const Shown& shown) {
    const std::vector<int> order = airflowOf(shown);
    std::string air = listed(order);
    if (shown.air.origin != analysis::AirflowOrigin::Said)
        air += fmt::format(" ({}; set it with --airflow)", toString(shown.air.origin));
    const auto& cluster = shown.cluster;
    return {{"name", shown.run.name}, {"gpu_model", {"GPU"}, shown.run.gpuModel},
        {"gpu_model_inferred", catalogue::isInferredName(shown.run.gpuModel)},
        {"nodes", {"nodes"}, shown.run.nodeCount}, {"gpus", {"GPUs"}, shown.run.gpuCount},
        {"airflow", order, {"airflow, front to rear"}, air},
        {"airflow_assumed", cluster.isAirflowAssumed}, {"airflow_origin", shown.air.origin},
        {"airflow_evidence", {"airflow by"}, given(shown.air.evidence)},
        {"nodes_per_rack", {"nodes of a rack"}, cluster.nodesPerRack},
        {"nodes_per_nvlink_domain", {"nodes of an NVLink domain"}, cluster.nodesPerDomain},
        {"links", rowJson(linksRow(cluster))}};
}

Json clustersJson(const std::vector<Shown>& all) {
    return {{"runs", rowsJson(all, clusterRow)}};
}

void printClusters(std::ostream& out, const std::vector<Shown>& all) {
    for (const Shown& shown : all) {
        out << shown.run.name << '\n';
        printLines(out, joined(clusterRow(shown), linksRow(shown.cluster)));
    }
}

Outcome showClusters(const ClusterOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto store,
        openDatabase(options.database,
            options.isChange() ? store::OpenMode::ReadWrite : store::OpenMode::ReadOnly));
    ASSIGN_OR_RETURN(auto runs, selectRuns(store, options.runs));
    if (options.isChange()) {
        RETURN_IF_ERROR(change(store, runs, options, console));
        ASSIGN_OR_RETURN(runs, selectRuns(store, options.runs));
    }
    std::vector<Shown> all;
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto shown, shownOf(store, run));
        all.push_back(std::move(shown));
    }
    return show(console, options.json, clustersJson, printClusters, all);
}

} // namespace

void addClusterCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<ClusterOptions>(app, "cluster",
        "Show a run's machine, and say what its sources do not: air, links, racks",
        {"numbers#order-of-the-air"});
    addRuns(*command, *options, "Only this run; may be given several times");
    auto* airflow = addOption(*command, "--airflow", options->airflow,
        "Local indices of a node's GPUs from front (fresh air) to rear", "LIST");
    auto* topology = addOption(*command, "--topology", options->topology,
        "How the devices of a node hang together: NCCL's or RCCL's XML, or nvidia-smi topo -m",
        "FILE");
    auto* model = addOption(*command, "--gpu-model", options->gpuModel,
        "Model of the GPUs, for their limits and peaks: \"H100 SXM5\"", "NAME");
    auto* racks = addOption(
        *command, "--nodes-per-rack", options->nodesPerRack, "Nodes of a rack, by number", "N");
    auto* network = addOption(*command, "--network-gbps", options->networkGbps,
        "Peak of a GPU's network link per direction, in Gbit/s", "G");
    auto* domain = addOption(*command, "--nvlink-domain", options->linkDomain,
        "GPUs that NVLink joins, over nodes: 72 for GB200 NVL72", "N");
    for (auto* positive : {racks, network, domain})
        positive->check(aboveZero());
    command->add_flag("--reset", options->reset, "Take back all that was said")
        ->excludes(domain)
        ->excludes(airflow)
        ->excludes(topology)
        ->excludes(model)
        ->excludes(racks)
        ->excludes(network);
    addJson(*command, options->json);
    runs(*command, context, options, showClusters);
}

} // namespace trainscope::cli
