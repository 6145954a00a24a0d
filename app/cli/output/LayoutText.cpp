#include "app/cli/output/LayoutText.h"

#include "app/cli/text/Quantity.h"
#include "app/cli/text/TextTable.h"
#include "core/layout/Layout.h"

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

std::string percent(double fraction) {
    return quantityText(fraction, "1", "utilization");
}

std::string headline(const Layout& layout) {
    const auto& degrees = layout.grid.degrees();
    const auto counted = [](int count, const char* noun) {
        return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    std::string text
        = fmt::format("{} on {} of {}: TP {}", counted(layout.grid.worldSize(), "rank"),
            counted(layout.nodes, "node"), counted(layout.gpusPerNode, "GPU"), degrees.tensor);
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
            ? std::string("-")
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
    return rankListText(nodes);
}

// One line per stage, data- and context-parallel coordinate: its tensor-parallel ranks.
void printGrid(std::ostream& out, const Layout& layout) {
    using enum TextTable::Align;
    TextTable table({{"stage"}, {"layers", Left}, {"dp"}, {"cp"}, {"ranks by tp", Left},
        {"nodes", Left}, {"ep", Left}});
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
        table.add(
            {isNew ? std::to_string(at.pipeline) : "", isNew ? layersText(layout, at.pipeline) : "",
                std::to_string(at.data), std::to_string(at.context), rankListText(group),
                nodesText(layout, group), rankListText(experts)});
    }
    table.print(out, "  ");
}

void printGroups(std::ostream& out, const Layout& layout) {
    TextTable table({{"group", TextTable::Align::Left}, {"size"}, {"groups"},
        {"reaches", TextTable::Align::Left}, {"rank 0 with", TextTable::Align::Left}});
    for (const auto& info : layout::communicatorKinds()) {
        const auto span = reachOf(layout, info.kind);
        if (span.size == 1)
            continue;
        const std::string reach = span.link() == LinkClass::ScaleUp
            ? "inside a node"
            : fmt::format("over {} nodes", span.mostNodes);
        table.add({std::string(info.key), std::to_string(span.size), std::to_string(span.groups),
            reach, rankListText(layout.grid.groupOf(info.kind, 0))});
    }
    if (table.isEmpty())
        return;
    out << '\n';
    table.print(out, "  ");
}

void printPlan(std::ostream& out, const Layout& layout, const layout::Schedule* plan) {
    if (layout.sharding && layout.sharding->zeroStage > 0)
        out << fmt::format("\nZeRO stage {}: optimizer cut over {}, gradients over {}, parameters "
                           "over {} ranks\n",
            layout.sharding->zeroStage, layout.sharding->optimizer(), layout.sharding->gradients(),
            layout.sharding->parameters());
    if (plan == nullptr || plan->stages == 1)
        return;
    const std::string groups = plan->microbatchGroup > 0 && plan->microbatchGroup != plan->stages
        ? fmt::format(" in groups of {}", plan->microbatchGroup)
        : "";
    out << fmt::format("\nschedule {}: {} stages, {} micro-batches{}, bubbles {}\n",
        toString(plan->kind), plan->stages, plan->microbatches, groups,
        percent(plan->bubbleFraction));
    TextTable table({{"stage"}, {"bubbles"}, {"held at most"}});
    for (std::size_t stage = 0; stage < plan->stageBubble.size(); ++stage)
        table.add({std::to_string(stage), percent(plan->stageBubble[stage]),
            std::to_string(plan->peakInFlight[stage])});
    table.print(out, "  ");
}

} // namespace

std::string rankListText(const std::vector<int>& ranks) {
    if (ranks.empty())
        return {};
    const int step = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
    bool isEven = step > 1;
    for (std::size_t i = 1; i < ranks.size(); ++i)
        isEven = isEven && ranks[i] - ranks[i - 1] == step;
    constexpr std::size_t kFew = 4;
    if (isEven && ranks.size() > kFew)
        return fmt::format("{}-{} step {}", ranks.front(), ranks.back(), step);
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        text += text.empty() ? "" : ", ";
        text += end - i < 3 ? fmt::format("{}",
                    fmt::join(ranks.begin() + static_cast<std::ptrdiff_t>(i),
                        ranks.begin() + static_cast<std::ptrdiff_t>(end), ", "))
                            : fmt::format("{}-{}", ranks[i], ranks[end - 1]);
        i = end;
    }
    return text;
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
    using enum TextTable::Align;
    TextTable table(
        {{"stage"}, {"rank"}, {"group", Left}, {"sends per step"}, {"link", Left}, {"what", Left}});
    for (const int rank : layout.grid.groupOf(CommunicatorKind::Pipeline, 0)) {
        const auto traffic = trafficOf(layout, model, rank);
        if (!traffic.hasValue())
            continue;
        for (const auto& one : traffic.value())
            table.add({std::to_string(layout.grid.position(rank).pipeline), std::to_string(rank),
                one.group, bytesText(one.bytes),
                one.link == LinkClass::ScaleUp ? "inside a node" : "across nodes", one.what});
    }
    if (table.isEmpty())
        return;
    out << '\n';
    table.print(out, "  ");
}

} // namespace trainscope::cli
