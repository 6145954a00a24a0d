#include "app/cli/output/LayoutOutput.h"

#include <fmt/format.h>

namespace trainscope::cli {

namespace {

using layout::CommunicatorKind;
using layout::Layout;
using layout::LinkClass;

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

std::string headline(const Layout& layout) {
    const auto& degrees = layout.grid.degrees();
    std::string text = fmt::format("{} on {} of {}: TP {}",
        text::counted(layout.grid.worldSize(), "rank"), text::counted(layout.nodes, "node"),
        text::counted(layout.gpusPerNode, "GPU"), degrees.tensor);
    const auto add = [&](const char* name, int degree) {
        if (degree > 1)
            text += fmt::format(" × {} {}", name, degree);
    };
    add("CP", degrees.context);
    text += fmt::format(" × DP {} × PP {}", degrees.data, degrees.pipeline);
    add("VPP", layout.virtualStages);
    if (degrees.expert > 1)
        text += fmt::format("; experts ETP {} × EP {} × EDP {}", degrees.expertTensor,
            degrees.expert, layout.grid.expertData());
    return text + fmt::format("; order {}", layout.grid.order().text());
}

std::string layersText(const Layout& layout, int stage) {
    std::string text;
    for (const auto& chunk : layout.chunks) {
        if (chunk.stage != stage)
            continue;
        text += text.empty() ? "" : ", ";
        text += chunk.layers == 0
            ? std::string(text::kMissing)
            : fmt::format("{}-{}", chunk.firstLayer, chunk.firstLayer + chunk.layers - 1);
    }
    return text;
}

std::string nodesText(const Layout& layout, const std::vector<int>& ranks) {
    std::vector<int> nodes;
    for (const int rank : ranks) {
        if (nodes.empty() || nodes.back() != layout.nodeOf(rank))
            nodes.push_back(layout.nodeOf(rank));
    }
    return text::rankList(nodes);
}

// One line per stage, data- and context-parallel coordinate: its tensor-parallel ranks.
void printGrid(std::ostream& out, const Layout& layout) {
    text::Table table;
    const auto& grid = layout.grid;
    auto groups = grid.groups(CommunicatorKind::Tensor);
    const auto keyOf = [&](const std::vector<int>& group) {
        const auto at = grid.position(group.front());
        return std::array{at.pipeline, at.data, at.context};
    };
    std::ranges::sort(groups, [&](const auto& a, const auto& b) { return keyOf(a) < keyOf(b); });
    int before = -1;
    for (const auto& group : groups) {
        const auto at = grid.position(group.front());
        const bool isNew = at.pipeline != before;
        before = at.pipeline;
        std::vector<int> experts;
        for (const int rank : group) {
            if (experts.empty() || experts.back() != grid.position(rank).expert)
                experts.push_back(grid.position(rank).expert);
        }
        addRow(table,
            {{"", {"stage"}, isNew ? std::to_string(at.pipeline) : ""},
                {"", {"layers", Left}, isNew ? layersText(layout, at.pipeline) : ""},
                {"", {"dp"}, at.data}, {"", {"cp"}, at.context},
                {"", {"ranks by tp", Left}, text::rankList(group)},
                {"", {"nodes", Left}, nodesText(layout, group)},
                {"", {"ep", Left}, text::rankList(experts)}});
    }
    printTable(out, table);
}

void printGroups(std::ostream& out, const Layout& layout) {
    text::Table table;
    for (const auto& info : layout::communicatorKinds()) {
        const auto span = reachOf(layout, info.kind);
        if (span.size == 1)
            continue;
        const std::string reach = span.link() == LinkClass::ScaleUp
            ? "inside a node"
            : "over " + text::counted(span.mostNodes, "node");
        addRow(table,
            {{"", {"group", Left}, info.key}, {"", {"size"}, span.size},
                {"", {"groups"}, span.groups}, {"", {"reaches", Left}, reach},
                {"", {"rank 0 with", Left}, text::rankList(layout.grid.groupOf(info.kind, 0))}});
    }
    printBelow(out, table);
}

void printPlan(std::ostream& out, const Layout& layout, const layout::Schedule* plan) {
    if (layout.sharding && layout.sharding->zeroStage > 0)
        out << fmt::format("\nZeRO stage {}: optimizer cut over {}, gradients over {}, parameters "
                           "over {}\n",
            layout.sharding->zeroStage, layout.sharding->optimizer(), layout.sharding->gradients(),
            text::counted(layout.sharding->parameters(), "rank"));
    if (plan == nullptr || plan->stages == 1)
        return;
    const std::string groups = plan->microbatchGroup > 0 && plan->microbatchGroup != plan->stages
        ? fmt::format(" in groups of {}", plan->microbatchGroup)
        : "";
    out << fmt::format("\nschedule {}: {}, {}{}, bubbles {}\n", toString(plan->kind),
        text::counted(plan->stages, "stage"),
        text::counted(plan->microbatches, "micro-batch", "micro-batches"), groups,
        text::alignedPercent(plan->bubbleFraction));
    printTable(out, tableOf(plan->stageBubble, [plan](double bubble, std::size_t stage) -> Row {
        return {{"", {"stage"}, stage}, {"", inUnit("bubbles", "%"), bubble},
            {"", {"held at most"}, plan->peakInFlight[stage]}};
    }));
}

// The first rank of a stage, and the bytes that its groups send.
struct RankTraffic {
    int rank = 0;
    int stage = 0;
    std::vector<layout::CommunicatorTraffic> groups;
};
std::vector<RankTraffic> stageTraffic(const Layout& layout, const layout::TrafficModel& model) {
    std::vector<RankTraffic> all;
    for (const int rank : layout.grid.groupOf(CommunicatorKind::Pipeline, 0)) {
        auto traffic = trafficOf(layout, model, rank);
        if (traffic.hasValue())
            all.push_back({rank, layout.grid.position(rank).pipeline, std::move(traffic).value()});
    }
    return all;
}

Row trafficRow(const layout::CommunicatorTraffic& one) {
    return {{"bytes_per_step", inUnit("sends per step", "B"), one.bytes},
        {"link", one.link, {"link", Left}, given(std::string(titleOf(one.link)))},
        {"what", {"what", Left}, one.what}};
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
    return listOf(stageTraffic(layout, model), [](const RankTraffic& one) {
        return Json{{"rank", one.rank}, {"stage", one.stage},
            {"groups", objectOf(one.groups, [](const auto& group) {
                 return Member(group.group, rowJson(trafficRow(group)));
             })}};
    });
}

void printLayout(std::ostream& out, const Layout& layout, const layout::Schedule* plan) {
    out << headline(layout) << '\n';
    for (const auto& note : layout.notes)
        out << note << '\n';
    out << '\n';
    printGrid(out, layout);
    printGroups(out, layout);
    printPlan(out, layout, plan);
}

void printTraffic(std::ostream& out, const Layout& layout, const layout::TrafficModel& model) {
    text::Table table;
    for (const RankTraffic& one : stageTraffic(layout, model)) {
        for (const layout::CommunicatorTraffic& group : one.groups) {
            addRow(table,
                joined({{"", {"stage"}, one.stage}, {"", {"rank"}, one.rank},
                           {"", {"group", Left}, group.group}},
                    trafficRow(group)));
        }
    }
    printBelow(out, table);
}

} // namespace trainscope::cli
