#include "app/cli/output/LayoutOutput.h"

#include "core/layout/Layout.h"

namespace trainscope::cli {

namespace {

using layout::CommunicatorKind;
using layout::Layout;

Json rankJson(const Layout& layout, int rank) {
    const auto at = layout.grid.position(rank);
    return {{"rank", rank}, {"node", layout.nodeOf(rank)}, {"local", layout.localOf(rank)},
        {"tp", at.tensor}, {"cp", at.context}, {"dp", at.data}, {"ep", at.expert},
        {"pp", at.pipeline}, {"etp", at.expertTensor}, {"edp", at.expertData}};
}

Json groupsJson(const Layout& layout) {
    Json json = objectOf(layout::communicatorKinds(), [&](const auto& info) {
        return Member(std::string(info.key), layout.grid.groups(info.kind));
    });
    json["embedding"] = layout.grid.embeddingGroups();
    if (layout.sharding && layout.sharding->zeroStage > 0)
        add(json,
            {{"shard", shardGroups(layout.grid, *layout.sharding)},
                {"replica", replicaGroups(layout.grid, *layout.sharding)}});
    return json;
}

Json linksJson(const Layout& layout) {
    return objectOf(layout::communicatorKinds(), [&](const auto& info) {
        const auto span = reachOf(layout, info.kind);
        return Member(std::string(info.key),
            Json{{"size", span.size}, {"groups", span.groups}, {"fewest_nodes", span.fewestNodes},
                {"most_nodes", span.mostNodes}, {"link", toString(span.link())}});
    });
}

Json degreesJson(const Layout& layout) {
    const auto& degrees = layout.grid.degrees();
    return {{"tp", degrees.tensor}, {"cp", degrees.context}, {"dp", degrees.data},
        {"pp", degrees.pipeline}, {"ep", degrees.expert}, {"etp", degrees.expertTensor},
        {"edp", layout.grid.expertData()}, {"vpp", layout.virtualStages}};
}

Json scheduleJson(const Layout& layout, const layout::Schedule* plan, bool withTasks) {
    Json json
        = object({{"kind", toString(layout.schedule)}, {"stages", layout.grid.degrees().pipeline},
            {"microbatches", layout.microbatches}, {"virtual_stages", layout.virtualStages}});
    if (plan == nullptr)
        return json;
    add(json,
        {{"microbatch_group", when(plan->microbatchGroup > 0, plan->microbatchGroup)},
            {"bubble_fraction", plan->bubbleFraction},
            {"ideal_bubble_fraction",
                idealBubbleFraction(
                    plan->kind, plan->stages, plan->microbatches, plan->virtualStages)},
            {"makespan", plan->makespan}, {"stage_bubble_fractions", plan->stageBubble},
            {"peak_in_flight", plan->peakInFlight}});
    if (withTasks)
        json["tasks"] = tasksJson(*plan);
    return json;
}

} // namespace

Json tasksJson(const layout::Schedule& plan) {
    return listOf(plan.tasks, [](const auto& task) {
        return Json{{"stage", task.stage}, {"chunk", task.chunk}, {"microbatch", task.microbatch},
            {"kind", toString(task.kind)}, {"start", task.start}, {"end", task.end}};
    });
}

Json layoutJson(const Layout& layout, const layout::Schedule* plan, bool withTasks) {
    Json json{{"world_size", layout.grid.worldSize()}, {"nodes", layout.nodes},
        {"gpus_per_node", layout.gpusPerNode}, {"order", layout.grid.order().text()},
        {"degrees", degreesJson(layout)}, {"ranks", Json::array()}, {"groups", groupsJson(layout)},
        {"links", linksJson(layout)}};
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank)
        json["ranks"].push_back(rankJson(layout, rank));
    if (const auto& sharding = layout.sharding)
        json["sharding"] = {{"zero_stage", sharding->zeroStage}, {"replicas", sharding->replicas},
            {"optimizer", sharding->optimizer()}, {"gradients", sharding->gradients()},
            {"parameters", sharding->parameters()}};
    if (!layout.chunks.empty())
        json["stages"] = listOf(layout.chunks, [](const auto& chunk) {
            return Json{{"stage", chunk.stage}, {"chunk", chunk.chunk},
                {"first_layer", chunk.firstLayer}, {"layers", chunk.layers}};
        });
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
        const auto groupOf = [](const auto& one) {
            return Member(one.group,
                Json{{"bytes_per_step", one.bytes}, {"link", toString(one.link)},
                    {"what", one.what}});
        };
        list.push_back({{"rank", rank}, {"stage", layout.grid.position(rank).pipeline},
            {"groups", objectOf(traffic.value(), groupOf)}});
    }
    return list;
}

} // namespace trainscope::cli
