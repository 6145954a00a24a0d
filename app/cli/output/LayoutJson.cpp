#include "app/cli/output/LayoutOutput.h"

#include "core/layout/Layout.h"

namespace trainscope::cli {

namespace {

using layout::CommunicatorKind;
using layout::Layout;

Json ranksJson(const Layout& layout) {
    Json list = Json::array();
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
        const auto at = layout.grid.position(rank);
        list.push_back(
            {{"rank", rank}, {"node", layout.nodeOf(rank)}, {"local", layout.localOf(rank)},
                {"tp", at.tensor}, {"cp", at.context}, {"dp", at.data}, {"ep", at.expert},
                {"pp", at.pipeline}, {"etp", at.expertTensor}, {"edp", at.expertData}});
    }
    return list;
}

Json groupsJson(const Layout& layout) {
    Json json = Json::object();
    for (const auto& info : layout::communicatorKinds())
        json[std::string(info.key)] = layout.grid.groups(info.kind);
    json["embedding"] = layout.grid.embeddingGroups();
    if (layout.sharding && layout.sharding->zeroStage > 0) {
        json["shard"] = shardGroups(layout.grid, *layout.sharding);
        json["replica"] = replicaGroups(layout.grid, *layout.sharding);
    }
    return json;
}

Json linksJson(const Layout& layout) {
    Json json = Json::object();
    for (const auto& info : layout::communicatorKinds()) {
        const auto span = reachOf(layout, info.kind);
        json[std::string(info.key)]
            = {{"size", span.size}, {"groups", span.groups}, {"fewest_nodes", span.fewestNodes},
                {"most_nodes", span.mostNodes}, {"link", toString(span.link())}};
    }
    return json;
}

Json degreesJson(const Layout& layout) {
    const auto& degrees = layout.grid.degrees();
    return {{"tp", degrees.tensor}, {"cp", degrees.context}, {"dp", degrees.data},
        {"pp", degrees.pipeline}, {"ep", degrees.expert}, {"etp", degrees.expertTensor},
        {"edp", layout.grid.expertData()}, {"vpp", layout.virtualStages}};
}

Json stagesJson(const Layout& layout) {
    Json list = Json::array();
    for (const auto& chunk : layout.chunks)
        list.push_back({{"stage", chunk.stage}, {"chunk", chunk.chunk},
            {"first_layer", chunk.firstLayer}, {"layers", chunk.layers}});
    return list;
}

Json scheduleJson(const Layout& layout, const layout::Schedule* plan, bool withTasks) {
    Json json{{"kind", toString(layout.schedule)}, {"stages", layout.grid.degrees().pipeline}};
    setIfPresent(json, "microbatches", layout.microbatches);
    json["virtual_stages"] = layout.virtualStages;
    if (plan == nullptr)
        return json;
    if (plan->microbatchGroup > 0)
        json["microbatch_group"] = plan->microbatchGroup;
    json["bubble_fraction"] = plan->bubbleFraction;
    setIfPresent(json, "ideal_bubble_fraction",
        idealBubbleFraction(plan->kind, plan->stages, plan->microbatches, plan->virtualStages));
    json["makespan"] = plan->makespan;
    json["stage_bubble_fractions"] = plan->stageBubble;
    json["peak_in_flight"] = plan->peakInFlight;
    if (withTasks)
        json["tasks"] = tasksJson(*plan);
    return json;
}

} // namespace

Json tasksJson(const layout::Schedule& plan) {
    Json list = Json::array();
    for (const auto& task : plan.tasks)
        list.push_back(
            {{"stage", task.stage}, {"chunk", task.chunk}, {"microbatch", task.microbatch},
                {"kind", toString(task.kind)}, {"start", task.start}, {"end", task.end}});
    return list;
}

Json layoutJson(const Layout& layout, const layout::Schedule* plan, bool withTasks) {
    Json json{{"world_size", layout.grid.worldSize()}, {"nodes", layout.nodes},
        {"gpus_per_node", layout.gpusPerNode}, {"order", layout.grid.order().text()},
        {"degrees", degreesJson(layout)}, {"ranks", ranksJson(layout)},
        {"groups", groupsJson(layout)}, {"links", linksJson(layout)}};
    if (layout.sharding)
        json["sharding"] = {{"zero_stage", layout.sharding->zeroStage},
            {"replicas", layout.sharding->replicas}, {"optimizer", layout.sharding->optimizer()},
            {"gradients", layout.sharding->gradients()},
            {"parameters", layout.sharding->parameters()}};
    if (!layout.chunks.empty())
        json["stages"] = stagesJson(layout);
    json["schedule"] = scheduleJson(layout, plan, withTasks);
    if (!layout.notes.empty())
        json["notes"] = layout.notes;
    return json;
}

Json trafficJson(const Layout& layout, const layout::TrafficModel& model) {
    Json list = Json::array();
    for (const int rank : layout.grid.groupOf(CommunicatorKind::Pipeline, 0)) {
        const auto traffic = trafficOf(layout, model, rank);
        if (!traffic.hasValue())
            continue;
        Json groups = Json::object();
        for (const auto& one : traffic.value())
            groups[one.group]
                = {{"bytes_per_step", one.bytes}, {"link", toString(one.link)}, {"what", one.what}};
        list.push_back({{"rank", rank}, {"stage", layout.grid.position(rank).pipeline},
            {"groups", std::move(groups)}});
    }
    return list;
}

} // namespace trainscope::cli
