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
    return object({{"computed_b_per_step", one.computed}, {"measured_b_per_step", one.measured},
        {"busy_s_per_step", one.busySeconds}, {"bandwidth_b_per_s", one.bandwidth()},
        {"link", toString(one.link)}, {"ranks", when(!ranks.empty(), ranks)}, {"what", one.what}});
}

Json linkJson(const LinkBytes& link) {
    return object({{"computed_b_per_step", link.computed}, {"counted_b_per_step", link.counters}});
}

Json nodeJson(const NodeBytes& node) {
    return object({{"node", node.node}, {"scale_up", linkJson(node.scaleUp)},
        {"scale_out", linkJson(node.scaleOut)}, {"pcie_b_per_step", node.pcie},
        {"scale_up_b_per_s_per_gpu", node.scaleUpRate}});
}

Json edgeJson(const EdgeBytes& edge) {
    return object({{"a", edge.a}, {"b", edge.b}, {"group", edge.group},
        {"computed_b_per_step", edge.computed}, {"measured_b_per_step", edge.measured}});
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
    const auto rankJson = [&](int one) {
        const auto memberOf = [&](const GroupBytes& group) {
            return Member(group.group, groupJson(group, membersOf(layout, one, group.group)));
        };
        return Json{{"rank", one}, {"stage", layout.grid.position(one).pipeline},
            {"groups", objectOf(bytes.ranks[static_cast<std::size_t>(one)], memberOf)}};
    };
    return object({{"ranks", listOf(ranksOf(layout, rank), rankJson)},
        {"nodes", listOf(bytes.nodes, nodeJson)}, {"edges", listOf(bytes.edges, edgeJson)},
        {"step_time_s", bytes.stepSeconds}, {"notes", bytes.notes}});
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
