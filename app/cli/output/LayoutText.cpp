#include "app/cli/output/LayoutOutput.h"
#include "core/text/Numbers.h"

#include "core/layout/Layout.h"
#include "core/text/Table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace trainscope::cli {

namespace {

using layout::CommunicatorKind;
using layout::Layout;
using layout::LinkClass;

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
    using enum text::Align;
    text::Table table{.columns = {{"stage"}, {"layers", Left}, {"dp"}, {"cp"},
                          {"ranks by tp", Left}, {"nodes", Left}, {"ep", Left}}};
    const auto& grid = layout.grid;
    auto groups = grid.groups(CommunicatorKind::Tensor);
    const auto keyOf = [&](const std::vector<int>& group) {
        const auto at = grid.position(group.front());
        return std::array{at.pipeline, at.data, at.context};
    };
    std::sort(groups.begin(), groups.end(),
        [&](const auto& a, const auto& b) { return keyOf(a) < keyOf(b); });
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
        table.add({isNew ? std::to_string(at.pipeline) : "",
            isNew ? layersText(layout, at.pipeline) : "", at.data, at.context,
            text::rankList(group), nodesText(layout, group), text::rankList(experts)});
    }
    text::print(out, table, "  ");
}

void printGroups(std::ostream& out, const Layout& layout) {
    text::Table table{.columns = {{"group", text::Align::Left}, {"size"}, {"groups"},
                          {"reaches", text::Align::Left}, {"rank 0 with", text::Align::Left}}};
    for (const auto& info : layout::communicatorKinds()) {
        const auto span = reachOf(layout, info.kind);
        if (span.size == 1)
            continue;
        const std::string reach = span.link() == LinkClass::ScaleUp
            ? "inside a node"
            : "over " + text::counted(span.mostNodes, "node");
        table.add({std::string(info.key), span.size, span.groups, reach,
            text::rankList(layout.grid.groupOf(info.kind, 0))});
    }
    if (table.isEmpty())
        return;
    out << '\n';
    text::print(out, table, "  ");
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
    text::Table table{.columns = {{"stage"}, text::inUnit("bubbles", "%"), {"held at most"}}};
    for (std::size_t stage = 0; stage < plan->stageBubble.size(); ++stage)
        table.add({stage, plan->stageBubble[stage], plan->peakInFlight[stage]});
    text::print(out, table, "  ");
}

} // namespace

std::string linkText(LinkClass link) {
    if (link == LinkClass::None)
        return text::kMissing;
    return link == LinkClass::ScaleUp ? "inside a node" : "across nodes";
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
    using enum text::Align;
    text::Table table{.columns = {{"stage"}, {"rank"}, {"group", Left},
                          text::inUnit("sends per step", "B"), {"link", Left}, {"what", Left}}};
    for (const int rank : layout.grid.groupOf(CommunicatorKind::Pipeline, 0)) {
        const auto traffic = trafficOf(layout, model, rank);
        if (!traffic.hasValue())
            continue;
        for (const auto& one : traffic.value())
            table.add({layout.grid.position(rank).pipeline, rank, one.group, one.bytes,
                linkText(one.link), one.what});
    }
    if (table.isEmpty())
        return;
    out << '\n';
    text::print(out, table, "  ");
}

} // namespace trainscope::cli
