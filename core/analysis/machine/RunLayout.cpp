#include "core/analysis/machine/RunLayout.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/telemetry/Airflow.h"
#include "core/catalogue/GpuModel.h"
#include "core/layout/InferLayout.h"
#include "core/layout/LayoutRequest.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/store/Writing.h"

#include <fmt/format.h>

namespace trainscope::analysis {
namespace {

using layout::LayoutRequest;
using layout::ProcessGroup;

int worldOf(const Run& run, const std::vector<Gpu>& gpus, const std::vector<ProcessGroup>& groups) {
    int world = std::max({run.worldSize, run.gpuCount, launchedGpus(run.launch)});
    for (const Gpu& gpu : gpus)
        world = std::max(world, gpu.rank + 1);
    for (const ProcessGroup& group : groups) {
        for (const int rank : group.ranks)
            world = std::max(world, std::min(rank, kMostGpus) + 1);
    }
    return world;
}

// The launch configuration says it, else the GPUs show it; some GPUs of one node do not.
std::optional<int> gpusPerNodeOf(const Run& run, const std::vector<Gpu>& gpus, int world) {
    if (run.launch.gpusPerNode)
        return run.launch.gpusPerNode;
    std::optional<int> most;
    for (const Gpu& gpu : gpus) {
        if (gpu.node > 0 && gpu.rank > gpu.local && (gpu.rank - gpu.local) % gpu.node == 0)
            return (gpu.rank - gpu.local) / gpu.node;
        most = std::max(most.value_or(1), gpu.local + 1);
    }
    if (static_cast<int>(gpus.size()) < world)
        return std::nullopt;
    return most;
}

struct Known {
    const Run& run;
    std::vector<ProcessGroup> groups;
    int world = 0;
    std::optional<int> gpusPerNode;
};

// Unless the layout could then not be.
template <typename Change>
void changeWhereItFits(LayoutRequest& request, const Change& change) {
    LayoutRequest changed = request;
    change(changed);
    if (layout::makeLayout(changed).hasValue())
        request = std::move(changed);
}

// Takes the layers of the model by its name, where nothing else says them and they can be divided.
void takeLayersOfModel(const LaunchConfig& launch, LayoutRequest& request) {
    if (request.layers || !request.stageLayers.empty())
        return;
    const auto shape = shapeOf(launch, catalogue::modelCatalogue());
    if (!shape.hasValue())
        return;
    changeWhereItFits(
        request, [&shape](LayoutRequest& divided) { divided.layers = shape.value().model.layers; });
}

// Sharding and schedule of the launch hold, whatever else tells the degrees.
void takeWhatLaunchSays(const Known& known, LayoutRequest& request) {
    const LaunchConfig& launch = known.run.launch;
    if (!request.zeroStage)
        request.zeroStage = launch.zeroStage;
    if (!request.fsdp)
        request.fsdp = launch.fsdp;
    const bool isSharded = request.fsdp.value_or(false) || request.zeroStage.value_or(0) > 0;
    if (isSharded && !request.shardSize)
        changeWhereItFits(request, [&](LayoutRequest& grouped) {
            grouped.shardSize
                = launch.shardGroup ? launch.shardGroup : layout::shardSizeOf(known.groups);
        });
    if (request.schedule || request.virtualStages)
        return;
    changeWhereItFits(request, [&launch](LayoutRequest& scheduled) {
        scheduled.virtualStages = launch.virtualPipeline;
        if (!launch.pipelineSchedule)
            return;
        const auto kind = layout::scheduleKindFromString(*launch.pipelineSchedule);
        if (kind.hasValue())
            scheduled.schedule = kind.value();
    });
}

void takeCluster(const Known& known, LayoutRequest& request) {
    request.nodes.reset(); // follows from the ranks and the GPUs of a node
    request.worldSize = known.world;
    if (known.gpusPerNode)
        request.gpusPerNode = std::min(*known.gpusPerNode, std::max(known.world, 1));
    takeWhatLaunchSays(known, request);
    if (!request.layers)
        request.layers = known.run.launch.layers;
    takeLayersOfModel(known.run.launch, request);
    const auto made = layout::makeLayout(request);
    if (made.hasValue())
        request.microbatches
            = layout::microbatchesOf(known.run.launch, made.value().grid.degrees().data);
}

std::string launchText(const LaunchConfig& launch) {
    return launch.origin.empty() ? "the launch configuration"
                                 : "the launch configuration (" + launch.origin + ")";
}

Result<RunLayout> fromLaunch(const Known& known) {
    ASSIGN_OR_RETURN(auto request, layout::layoutFromLaunch(known.run.launch, known.world));
    RunLayout result{std::move(request), LayoutOrigin::Launch, launchText(known.run.launch), {}};
    if (result.request.expertTensor && !known.run.launch.expertTensorParallel)
        result.notes.push_back("assumed: the experts are not tensor-parallel (ETP 1), for TP × EP "
                               "does not divide the ranks of a stage");
    takeCluster(known, result.request);
    const auto made = layout::makeLayout(result.request);
    if (!made.hasValue())
        return result;
    const auto others = layout::contradictions(known.groups, made.value().grid);
    if (!others.empty())
        result.notes.push_back(
            fmt::format("the traces have {} process groups that this layout does not make, such "
                        "as {}",
                others.size(), layout::processGroupsText({others.front()})));
    return result;
}

Result<RunLayout> fromGroups(const Known& known) {
    ASSIGN_OR_RETURN(const auto found, layout::inferLayout(known.groups, known.world));
    const auto& degrees = found.degrees;
    RunLayout result;
    result.origin = LayoutOrigin::ProcessGroups;
    result.wording = found.wording;
    result.request.tensor = degrees.tensor;
    result.request.context = degrees.context;
    result.request.expert = degrees.expert;
    result.request.expertTensor = degrees.expertTensor;
    result.request.data = degrees.data;
    result.request.pipeline = degrees.pipeline;
    result.request.order = found.order;
    takeCluster(known, result.request);
    return result;
}

// A launch that shards states and names no degree has data parallelism alone.
std::optional<RunLayout> fromSharding(const Known& known) {
    const LaunchConfig& launch = known.run.launch;
    const bool isSharded = launch.fsdp.value_or(false) || launch.zeroStage.value_or(0) > 0;
    const bool hasGroups = std::any_of(known.groups.begin(), known.groups.end(),
        [](const ProcessGroup& group) { return group.ranks.size() > 1; });
    if (!isSharded || hasGroups || known.world < 1)
        return std::nullopt;
    RunLayout result{{}, LayoutOrigin::Launch, launchText(launch) + ", which shards over all ranks",
        {fmt::format("assumed: all {} ranks that are known are data-parallel, for the launch "
                     "configuration shards and names no degree",
            known.world)}};
    takeCluster(known, result.request);
    return result;
}

// Fills the gaps of a request with facts of the run.
LayoutRequest completed(LayoutRequest request, const Known& known) {
    if (!request.gpusPerNode && !(request.nodes && request.worldSize))
        request.gpusPerNode = known.gpusPerNode;
    if (!request.worldSize && !(request.nodes && request.gpusPerNode) && known.world > 0)
        request.worldSize = known.world;
    takeWhatLaunchSays(known, request);
    if (!request.layers && request.stageLayers.empty())
        request.layers = known.run.launch.layers;
    takeLayersOfModel(known.run.launch, request);
    if (request.microbatches)
        return request;
    const auto made = layout::makeLayout(request);
    if (made.hasValue())
        request.microbatches
            = layout::microbatchesOf(known.run.launch, made.value().grid.degrees().data);
    return request;
}

Result<RunLayout> fromEntered(const Known& known, const std::string& spec) {
    auto entered = layout::requestFromJson(spec);
    if (!entered.hasValue())
        return Error{ErrorCode::Unrecognised,
            fmt::format("The layout entered by hand cannot be read: {}. Take it back (layout "
                        "--forget) and enter it again.",
                entered.error().message),
            known.run.name};
    RunLayout result{completed(std::move(entered).value(), known), LayoutOrigin::Entered,
        "what was entered by hand", {}};
    const auto made = layout::makeLayout(result.request);
    const int ranks = made.hasValue() ? made.value().grid.worldSize() : known.world;
    if (known.world > 0 && ranks != known.world)
        result.notes.push_back(fmt::format(
            "the layout entered by hand has {} ranks, the run shows {}", ranks, known.world));
    return result;
}

Result<Known> withoutGroups(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(study.run.id));
    const int world = worldOf(study.run, gpus, {});
    return Known{study.run, {}, world, gpusPerNodeOf(study.run, gpus, world)};
}

Result<RunLayout> findLayout(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto entered, study.store.enteredLayout(study.run.id));
    if (!entered)
        return recordedLayout(study);
    ASSIGN_OR_RETURN(const auto known, withoutGroups(study));
    return fromEntered(known, *entered);
}

Result<std::optional<FittingLayout>> findFittingLayout(const RunStudy& study) {
    std::optional<FittingLayout> none;
    auto told = runLayout(study);
    if (!told.hasValue()) {
        const ErrorCode code = told.error().code;
        if (code == ErrorCode::NotFound || code == ErrorCode::Usage)
            return none;
        return told.error();
    }
    auto layout = layout::makeLayout(told.value().request);
    if (!layout.hasValue())
        return none;
    return std::optional(FittingLayout{std::move(told).value(), std::move(layout).value()});
}

using layout::PathKind;
using layout::ScaleUpLink;

PathKind kindOf(const std::string& link) {
    if (link == "PCIe")
        return PathKind::Phb;
    return link == "xGMI" ? PathKind::Xgmi : PathKind::NvLink;
}

void takeUsual(const Run& run, layout::ClusterFacts& facts) {
    const auto* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr)
        return;
    facts.pcieBandwidth = model->pcieBandwidth;
    facts.linkDomain = model->linkDomain;
    facts.gpusPerCard = model->gpusPerCard;
    facts.linksFrom = "hardware catalogue, " + model->name;
    if (model->scaleUp.empty())
        return;
    const bool isPcie = model->scaleUp == "PCIe";
    facts.scaleUp = ScaleUpLink{model->scaleUp, kindOf(model->scaleUp),
        model->scaleUp == "NVSwitch", isPcie ? model->pcieBandwidth : model->linkBandwidth};
}

// Facts that the user stated of the machine replace the usual ones.
Status takeSaid(const RunStudy& study, layout::ClusterFacts& facts) {
    ASSIGN_OR_RETURN(const auto said, machineOf(study));
    facts.nodesPerRack = said.nodesPerRack;
    facts.networkBandwidth = said.networkBandwidth;
    if (said.linkDomain)
        facts.linkDomain = said.linkDomain;
    facts.topology = said.topology;
    if (facts.topology)
        facts.linksFrom = said.topologyFrom;
    return {};
}

// Ranks of the layout of which there are no data.
void addMissing(const layout::Layout& layout, std::vector<Gpu>& gpus) {
    const std::set<int> known = setOf(gpus, &Gpu::rank);
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
        if (!known.contains(rank))
            gpus.push_back({rank, layout.nodeOf(rank), layout.localOf(rank), {}, {}});
    }
}

} // namespace

Result<RunLayout> runLayout(const RunStudy& study) {
    return study.once(findLayout);
}

Status enterLayout(
    store::Store& store, const Run& run, const std::optional<LayoutRequest>& request) {
    if (!request)
        return store::setEnteredLayout(store, run.id, std::nullopt);
    const RunStudy study{store, run};
    ASSIGN_OR_RETURN(const auto known, withoutGroups(study));
    RETURN_IF_ERROR(layout::makeLayout(completed(*request, known)));
    return store::setEnteredLayout(store, run.id, layout::requestToJson(*request));
}

Result<RunLayout> recordedLayout(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(study.run.id));
    ASSIGN_OR_RETURN(auto groups, processGroupsOf(study));
    const int world = worldOf(study.run, gpus, groups);
    const Known known{study.run, std::move(groups), world, gpusPerNodeOf(study.run, gpus, world)};
    if (layout::saysLayout(study.run.launch))
        return fromLaunch(known);
    auto inferred = fromGroups(known);
    if (inferred.hasValue())
        return inferred;
    const auto named = layout::layoutFromName(study.run.name);
    if (auto sharded = named ? std::nullopt : fromSharding(known))
        return std::move(*sharded);
    if (!named)
        return Error{ErrorCode::NotFound,
            fmt::format("Neither a launch configuration nor the name says the layout of this run; "
                        "give it by hand. {}",
                inferred.error().message),
            study.run.name};
    RunLayout result{*named, LayoutOrigin::Name,
        fmt::format("the run's name alone (\"{}\"); nothing recorded confirms it", study.run.name),
        {}};
    takeCluster(known, result.request);
    return result;
}

Result<std::optional<FittingLayout>> fittingLayout(const RunStudy& study) {
    return study.once(findFittingLayout);
}

Result<layout::MachineFacts> machineOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto text, study.store.machine(study.run.id));
    if (!text)
        return layout::MachineFacts{};
    return layout::machineFromJson(*text);
}

Result<std::optional<int>> linkDomainOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto said, machineOf(study));
    if (said.linkDomain)
        return said.linkDomain;
    const auto* model = catalogue::findGpuModel(study.run.gpuModel);
    return model == nullptr ? std::optional<int>() : model->linkDomain;
}

int nodesOfDomain(const std::optional<int>& gpus, int gpusPerNode) {
    const bool isWhole
        = gpus && gpusPerNode > 0 && *gpus >= gpusPerNode && *gpus % gpusPerNode == 0;
    return isWhole ? *gpus / gpusPerNode : 1;
}

layout::Layout domainsAsNodes(const layout::Layout& layout, const std::optional<int>& domain) {
    const int nodes = nodesOfDomain(domain, layout.gpusPerNode);
    layout::Layout joined = layout;
    joined.gpusPerNode *= nodes;
    joined.nodes = (layout.nodes + nodes - 1) / nodes;
    return joined;
}

Result<RunOfDomains> domainsAsNodes(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto domain, linkDomainOf(study));
    ASSIGN_OR_RETURN(auto gpus, study.store.gpus(study.run.id));
    RunOfDomains joined{study.run, std::move(gpus)};
    int perNode = study.run.launch.gpusPerNode.value_or(0);
    for (const Gpu& gpu : joined.gpus)
        perNode = std::max(perNode, gpu.local + 1);
    const int nodes = nodesOfDomain(domain, perNode);
    if (nodes == 1)
        return joined;
    joined.run.launch.gpusPerNode = nodes * perNode;
    for (Gpu& gpu : joined.gpus) {
        gpu.local += gpu.node % nodes * perNode;
        gpu.node /= nodes;
    }
    return joined;
}

Result<layout::Cluster> clusterOf(const RunStudy& study, const layout::Layout* layout) {
    ASSIGN_OR_RETURN(auto gpus, study.store.gpus(study.run.id));
    ASSIGN_OR_RETURN(auto airflow, airflowOf(study));
    layout::ClusterFacts facts;
    facts.gpus = std::move(gpus);
    facts.airflow = std::move(airflow.order);
    if (airflow.origin == AirflowOrigin::Inferred)
        facts.airflowEvidence = std::move(airflow.evidence);
    facts.gpuModel = study.run.gpuModel;
    if (layout != nullptr)
        addMissing(*layout, facts.gpus);
    if (facts.gpus.empty())
        return Error{ErrorCode::NotFound, "The run names no GPUs, so there is nothing to place.",
            study.run.name};
    takeUsual(study.run, facts);
    RETURN_IF_ERROR(takeSaid(study, facts));
    return layout::makeCluster(facts);
}

} // namespace trainscope::analysis
