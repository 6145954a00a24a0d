#include "app/cli/output/BytesOutput.h"

#include "app/cli/output/LayoutOutput.h"
#include "core/layout/Layout.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace trainscope::cli {

namespace {

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
        if (toString(one.kind) == group)
            return one.ranks;
    }
    return {};
}

Json groupJson(const GroupBytes& one, const std::vector<int>& ranks) {
    Json json = Json::object();
    setIfPresent(json, "computed_b_per_step", one.computed);
    setIfPresent(json, "measured_b_per_step", one.measured);
    setIfPresent(json, "busy_s_per_step", one.busySeconds);
    setIfPresent(json, "bandwidth_b_per_s", one.bandwidth());
    json["link"] = toString(one.link);
    if (!ranks.empty())
        json["ranks"] = ranks;
    json["what"] = one.what;
    return json;
}

Json linkJson(const LinkBytes& link) {
    Json json = Json::object();
    setIfPresent(json, "computed_b_per_step", link.computed);
    setIfPresent(json, "counted_b_per_step", link.counters);
    return json;
}

Json nodeJson(const NodeBytes& node) {
    Json json{{"node", node.node}, {"scale_up", linkJson(node.scaleUp)},
        {"scale_out", linkJson(node.scaleOut)}};
    setIfPresent(json, "pcie_b_per_step", node.pcie);
    setIfPresent(json, "scale_up_b_per_s_per_gpu", node.scaleUpRate);
    return json;
}

Json edgeJson(const EdgeBytes& edge) {
    Json json{{"a", edge.a}, {"b", edge.b}, {"group", edge.group}};
    setIfPresent(json, "computed_b_per_step", edge.computed);
    setIfPresent(json, "measured_b_per_step", edge.measured);
    return json;
}

std::string linkText(layout::LinkClass link) {
    if (link == layout::LinkClass::None)
        return text::kMissing;
    return link == layout::LinkClass::ScaleUp ? "inside a node" : "across nodes";
}

void printRanks(
    std::ostream& out, const RunBytes& bytes, const Layout& layout, const std::vector<int>& ranks) {
    using enum text::Align;
    text::Table table{.columns = {{"rank"}, {"group", Left}, {"ranks", Left},
                          text::inUnit("computed", "B"), text::inUnit("measured", "B"),
                          text::inUnit("while busy", "B/s"), {"link", Left}, {"what", Left}}};
    for (const int rank : ranks) {
        for (const GroupBytes& one : bytes.ranks[static_cast<std::size_t>(rank)])
            table.add({rank, one.group, text::rankList(membersOf(layout, rank, one.group)),
                one.computed, one.measured, one.bandwidth(), linkText(one.link), one.what});
    }
    if (table.isEmpty())
        return;
    out << "\nsent by a rank per step\n";
    text::print(out, table, "  ");
}

void printNodes(std::ostream& out, const RunBytes& bytes) {
    text::Table table{
        .columns = {{"node"}, text::inUnit("inside, computed", "B"), text::inUnit("counted", "B"),
            text::inUnit("outside, computed", "B"), text::inUnit("counted", "B"),
            text::inUnit("PCIe counted", "B"), text::inUnit("inside, per GPU", "B/s")}};
    for (const NodeBytes& node : bytes.nodes)
        table.add({node.node, node.scaleUp.computed, node.scaleUp.counters, node.scaleOut.computed,
            node.scaleOut.counters, node.pcie, node.scaleUpRate});
    out << "\nsent by a node's GPUs per step\n";
    text::print(out, table, "  ");
}

void printEdges(std::ostream& out, const RunBytes& bytes) {
    if (bytes.edges.empty())
        return;
    std::vector<EdgeBytes> edges = bytes.edges;
    const auto most
        = [](const EdgeBytes& edge) { return edge.measured.value_or(edge.computed.value_or(0.0)); };
    std::stable_sort(edges.begin(), edges.end(),
        [&](const EdgeBytes& a, const EdgeBytes& b) { return most(a) > most(b); });
    text::Table table{.columns = {{"nodes", text::Align::Left}, {"group", text::Align::Left},
                          text::inUnit("computed", "B"), text::inUnit("measured", "B")}};
    for (std::size_t i = 0; i < std::min(edges.size(), kMostPrinted); ++i)
        table.add({fmt::format("{} and {}", edges[i].a, edges[i].b), edges[i].group,
            edges[i].computed, edges[i].measured});
    out << "\nbetween nodes per step, both directions together\n";
    text::print(out, table, "  ");
    if (edges.size() > kMostPrinted)
        out << fmt::format("  and {} more, see --json\n", edges.size() - kMostPrinted);
}

} // namespace

Json bytesJson(const RunBytes& bytes, const Layout& layout, std::optional<int> rank) {
    Json json{{"ranks", Json::array()}, {"nodes", Json::array()}, {"edges", Json::array()}};
    setIfPresent(json, "step_time_s", bytes.stepSeconds);
    for (const int one : ranksOf(layout, rank)) {
        Json groups = Json::object();
        for (const GroupBytes& group : bytes.ranks[static_cast<std::size_t>(one)])
            groups[group.group] = groupJson(group, membersOf(layout, one, group.group));
        json["ranks"].push_back({{"rank", one}, {"stage", layout.grid.position(one).pipeline},
            {"groups", std::move(groups)}});
    }
    for (const NodeBytes& node : bytes.nodes)
        json["nodes"].push_back(nodeJson(node));
    for (const EdgeBytes& edge : bytes.edges)
        json["edges"].push_back(edgeJson(edge));
    json["notes"] = bytes.notes;
    return json;
}

void printBytes(
    std::ostream& out, const RunBytes& bytes, const Layout& layout, std::optional<int> rank) {
    printRanks(out, bytes, layout, ranksOf(layout, rank));
    printNodes(out, bytes);
    printEdges(out, bytes);
    out << '\n';
    for (const auto& note : bytes.notes)
        out << note << '\n';
}

} // namespace trainscope::cli
