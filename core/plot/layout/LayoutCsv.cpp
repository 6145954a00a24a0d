#include "core/plot/layout/LayoutFigure.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <set>

namespace trainscope::plot {

namespace {

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
}

std::string coordinates(const layout::Layout* layout, int rank) {
    if (layout == nullptr || rank >= layout->grid.worldSize())
        return ",,,,,";
    const auto at = layout->grid.position(rank);
    std::string layers;
    if (!layout->chunks.empty())
        layers = std::to_string(layersOf(layout->chunks, at.pipeline));
    return fmt::format(
        "{},{},{},{},{},{}", at.tensor, at.context, at.data, at.expert, at.pipeline, layers);
}

// What any rank has bytes of.
std::set<std::string> groupsIn(const analysis::RunBytes& bytes) {
    std::set<std::string> groups;
    for (const auto& rank : bytes.ranks) {
        for (const auto& one : rank)
            groups.insert(one.group);
    }
    return groups;
}

std::string bytesOf(
    const analysis::RunBytes& bytes, int rank, const std::set<std::string>& groups) {
    std::string text;
    const auto at = static_cast<std::size_t>(rank);
    for (const auto& group : groups) {
        std::optional<double> computed;
        std::optional<double> measured;
        if (at < bytes.ranks.size()) {
            for (const auto& one : bytes.ranks[at]) {
                if (one.group == group) {
                    computed = one.computed;
                    measured = one.measured;
                }
            }
        }
        text += fmt::format(",{},{}", number(computed), number(measured));
    }
    return text;
}

} // namespace

std::string layoutCsv(const LayoutFigureData& data) {
    const auto* layout = data.layout ? &*data.layout : nullptr;
    const auto groups = groupsIn(data.bytes);
    const bool hasValues = data.colours.by == RankColour::Value;
    std::string out = "rank,rack,node,local,slot,side,nic,tp,cp,dp,ep,pp,layers";
    if (hasValues)
        out += ","
            + text::csvCell(
                fmt::format("{} [{}]", data.colours.scale.title, data.colours.scale.siUnit));
    for (const auto& group : groups)
        out += fmt::format(",{0}_computed_b_per_step,{0}_measured_b_per_step", group);
    out += '\n';
    for (const auto& node : data.cluster.nodes) {
        for (const auto& gpu : node.gpus) {
            const auto at = static_cast<std::size_t>(gpu.rank);
            const std::string nic = gpu.nic && data.cluster.topology
                ? text::csvCell(data.cluster.topology->devices()[*gpu.nic].name)
                : std::string();
            out += fmt::format("{},{},{},{},{},{},{},{}", gpu.rank, node.rack, node.node, gpu.local,
                gpu.slot, gpu.isRear ? "rear" : "front", nic, coordinates(layout, gpu.rank));
            if (hasValues)
                out += ","
                    + (at < data.colours.values.size() ? number(data.colours.values[at]) : "");
            out += bytesOf(data.bytes, gpu.rank, groups) + '\n';
        }
    }
    return out;
}

} // namespace trainscope::plot
