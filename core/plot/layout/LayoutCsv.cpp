#include "core/plot/layout/LayoutFigure.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <set>

namespace trainscope::plot {

namespace {

using Cells = std::vector<text::Cell>;

// Six cells, empty where no layout says them.
void addCoordinates(const layout::Layout* layout, int rank, Cells& cells) {
    if (layout == nullptr || rank >= layout->grid.worldSize())
        return cells.resize(cells.size() + 6);
    const auto at = layout->grid.position(rank);
    for (const int coordinate : {at.tensor, at.context, at.data, at.expert, at.pipeline})
        cells.emplace_back(coordinate);
    cells.push_back(
        layout->chunks.empty() ? text::Cell() : text::Cell(layersOf(layout->chunks, at.pipeline)));
}

// Names of the groups that any rank has bytes of.
std::set<std::string> groupsIn(const analysis::RunBytes& bytes) {
    std::set<std::string> groups;
    for (const auto& rank : bytes.ranks) {
        for (const auto& one : rank)
            groups.insert(one.group);
    }
    return groups;
}

void addBytes(const analysis::RunBytes& bytes, std::size_t rank,
    const std::set<std::string>& groups, Cells& cells) {
    for (const auto& group : groups) {
        analysis::GroupBytes none;
        const auto* found = &none;
        if (rank < bytes.ranks.size()) {
            for (const auto& one : bytes.ranks[rank])
                found = one.group == group ? &one : found;
        }
        cells.emplace_back(found->computed);
        cells.emplace_back(found->measured);
    }
}

} // namespace

std::string layoutCsv(const LayoutFigureData& data) {
    const auto* layout = data.layout ? &*data.layout : nullptr;
    const auto groups = groupsIn(data.bytes);
    const bool hasValues = data.colours.by == RankColour::Value;
    Cells titles{"rank", "rack", "node", "local", "slot", "side", "nic", "tp", "cp", "dp", "ep",
        "pp", "layers"};
    if (hasValues)
        titles.emplace_back(
            fmt::format("{} [{}]", data.colours.scale.title, data.colours.scale.siUnit));
    for (const auto& group : groups) {
        titles.emplace_back(group + "_computed_b_per_step");
        titles.emplace_back(group + "_measured_b_per_step");
    }
    std::string out;
    text::addCsvLine(out, titles);
    for (const auto& node : data.cluster.nodes) {
        for (const auto& gpu : node.gpus) {
            const auto at = static_cast<std::size_t>(gpu.rank);
            Cells cells{
                gpu.rank, node.rack, node.node, gpu.local, gpu.slot, gpu.isRear ? "rear" : "front"};
            cells.push_back(gpu.nic && data.cluster.topology
                    ? text::Cell(data.cluster.topology->devices()[*gpu.nic].name)
                    : text::Cell());
            addCoordinates(layout, gpu.rank, cells);
            if (hasValues)
                cells.push_back(
                    at < data.colours.values.size() ? data.colours.values[at] : text::Cell());
            addBytes(data.bytes, at, groups, cells);
            text::addCsvLine(out, cells);
        }
    }
    return out;
}

} // namespace trainscope::plot
