#include "core/plot/layout/PhysicalDiagram.h"

#include "core/plot/Palette.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/EdgeCurves.h"
#include "core/plot/layout/GroupOutlines.h"
#include "core/plot/layout/NicStrip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace trainscope::plot {

namespace {

using Level = CellTexts::Level;

constexpr std::size_t kManyEdges = 40; // from here on they shine through each other
constexpr double kWidestLink = 3.2; // line widths, of four links or more
constexpr double kIdleLink = 0.22; // of the link's colour, where its load is not known or 0

bool overlaps(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

class Diagram {
public:
    Diagram(const PhysicalData& data, const FigureStyle& style)
        : m_data(data)
        , m_cluster(*data.cluster)
        , m_canvas{*style.theme, style.measure, m_diagram.scene}
        , m_ranks(rankCount())
        , m_texts(style, data.colours, m_ranks, [this](int rank) { return placeOf(rank); })
        , m_arrangement(arrangeNodes(m_cluster, !data.edges.empty(), m_texts, style)) { }

    RankDiagram build(const FigureStyle& style) {
        m_diagram.cells.resize(static_cast<std::size_t>(m_ranks));
        m_diagram.items.resize(static_cast<std::size_t>(m_ranks));
        m_diagram.preferredHeight = m_arrangement.totalHeight;
        m_diagram.scene
            = {style.width, style.height > 0.0 ? style.height : m_arrangement.totalHeight,
                m_canvas.theme.window, {}};
        for (std::size_t i = 0; i < m_cluster.nodes.size(); ++i)
            m_diagram.nodes.push_back(m_arrangement.node(i));
        addEdges(style);
        addRacks();
        for (std::size_t i = 0; i < m_cluster.nodes.size(); ++i)
            addNode(i);
        recolour(m_diagram, m_data.colours, m_data.layout, m_canvas.theme);
        return std::move(m_diagram);
    }

private:
    [[nodiscard]] int rankCount() const {
        int count = 0;
        for (const auto& node : m_cluster.nodes) {
            for (const auto& gpu : node.gpus)
                count = std::max(count, gpu.rank + 1);
        }
        return count;
    }

    [[nodiscard]] std::string placeOf(int rank) const {
        if (m_data.layout == nullptr || rank >= m_data.layout->grid.worldSize())
            return {};
        const auto& degrees = m_data.layout->grid.degrees();
        const auto at = m_data.layout->grid.position(rank);
        std::string text;
        const auto add = [&](char name, int degree, int index) {
            if (degree > 1)
                text += fmt::format("{}{}{}", text.empty() ? "" : " ", name, index);
        };
        add('S', degrees.pipeline, at.pipeline);
        // Data parallelism where the pipeline does not already take the room.
        if (degrees.pipeline == 1)
            add('D', degrees.data, at.data);
        add('T', degrees.tensor, at.tensor);
        return text;
    }

    void addNode(std::size_t index) {
        const layout::ClusterNode& node = m_cluster.nodes[index];
        const Rect& box = m_diagram.nodes[index];
        addBox(box);
        addTitle(index, box);
        if (m_arrangement.bar > 0.0 && !addLinksOf(node, box))
            addLink(index, box);
        const int count = static_cast<int>(node.gpus.size());
        std::vector<Rect> cells;
        for (const auto& gpu : node.gpus) {
            cells.push_back(m_arrangement.cell(box, gpu.slot, count));
            m_texts.add(m_diagram, gpu.rank, cells.back(), m_arrangement.level);
        }
        if (m_arrangement.nics > 0.0 && m_cluster.topology)
            addNics(m_canvas, *m_cluster.topology, node, cells, m_arrangement.cards(box));
        if (m_arrangement.foot > 0.0)
            addFoot(index, box);
    }

    void addBox(const Rect& box) const {
        const bool isPlain = m_arrangement.level == Level::Plain;
        const double thin = isPlain ? 0.5 * m_canvas.theme.lineWidth : m_canvas.theme.lineWidth;
        const double radius = std::min(m_arrangement.pad, 2.0 * m_canvas.gap());
        m_canvas.box(box, radius, thin);
    }

    void addTitle(std::size_t index, const Rect& box) const {
        if (m_arrangement.title <= 0.0)
            return addRowName(index, box);
        const std::string number = std::to_string(m_cluster.nodes[index].node);
        // All nodes have a name, or all only a number.
        const std::string longest = "node " + std::to_string(m_cluster.nodes.back().node);
        const double inside = box.width - 2.0 * m_arrangement.pad;
        const double baseline = box.y + m_arrangement.pad + m_canvas.size();
        const std::string name = "node " + number;
        if (m_canvas.width(longest, TextRole::Small, true) > inside) {
            m_canvas.note({box.x + box.width / 2.0, baseline}, number, Align::Centre);
            return;
        }
        m_canvas.text({box.x + m_arrangement.pad, baseline}, name, m_canvas.theme.text,
            TextRole::Small, Align::Left, true);
        if (index >= m_data.nodes.size())
            return;
        const double room
            = inside - m_canvas.width(name, TextRole::Small, true) - 2.0 * m_canvas.gap();
        const std::string& summary = m_data.nodes[index].summary;
        if (m_canvas.width(summary) <= room)
            m_canvas.note({box.right() - m_arrangement.pad, baseline}, summary, Align::Right);
    }

    // Boxes too small for names have the number of the first of each row before it.
    void addRowName(std::size_t index, const Rect& box) const {
        const auto columns = static_cast<std::size_t>(m_arrangement.columns);
        const double pitch = box.height + m_arrangement.band + m_arrangement.rackHead;
        const auto step
            = static_cast<std::size_t>(std::ceil(1.1 * m_canvas.size() / std::max(pitch, 1.0)));
        if (m_arrangement.left <= 0.0 || index % (columns * step) != 0)
            return;
        m_canvas.note({m_arrangement.left - m_canvas.gap(), m_canvas.centred(box)},
            std::to_string(m_cluster.nodes[index].node), Align::Right);
    }

    void addLink(std::size_t index, const Rect& box) const {
        const Rect bar = m_arrangement.link(box);
        const auto load
            = index < m_data.nodes.size() ? m_data.nodes[index].load : std::optional<double>();
        const double strength
            = kIdleLink + (1.0 - kIdleLink) * std::clamp(load.value_or(0.0), 0.0, 1.0);
        m_canvas.fill(bar, blend(m_canvas.theme.panel, groupColor("tp"), strength),
            m_arrangement.level == Level::Plain ? 0.0 : bar.height / 2.0);
    }

    // Links between single GPUs, where the topology tells them: seen in the gaps of the cells, as
    // wide as they are many. False where there are none to draw, or the bar stands for others.
    bool addLinksOf(const layout::ClusterNode& node, const Rect& box) const {
        if (m_cluster.scaleUp.isSwitched || m_arrangement.level == Level::Plain)
            return false;
        if (!m_cluster.topology) {
            addCards(node, box);
            return false;
        }
        const auto& topology = *m_cluster.topology;
        const int count = static_cast<int>(node.gpus.size());
        const auto centreOf = [&](const layout::ClusterGpu& gpu) {
            const Rect cell = m_arrangement.cell(box, gpu.slot, count);
            return Point{cell.x + cell.width / 2.0, cell.y + cell.height / 2.0};
        };
        bool isAny = false;
        for (std::size_t a = 0; a < node.gpus.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const auto from = layout::gpuPlace(topology, node.gpus[a].local);
                const auto to = layout::gpuPlace(topology, node.gpus[b].local);
                if (!from || !to)
                    continue;
                const auto& path = topology.path(*from, *to);
                if (path.kind != layout::PathKind::NvLink && path.kind != layout::PathKind::Xgmi)
                    continue;
                isAny = true;
                const double width = std::clamp(0.8 * path.links, 0.8, kWidestLink);
                m_canvas.line(centreOf(node.gpus[a]), centreOf(node.gpus[b]), groupColor("tp"),
                    width * m_canvas.theme.lineWidth);
            }
        }
        return isAny;
    }

    // GPUs of one card are joined inside it, by more links than cards by each other.
    void addCards(const layout::ClusterNode& node, const Rect& box) const {
        const int count = static_cast<int>(node.gpus.size());
        for (const auto& gpu : node.gpus) {
            const auto next = std::find_if(node.gpus.begin(), node.gpus.end(),
                [&](const layout::ClusterGpu& other) { return other.local == gpu.local + 1; });
            if ((gpu.local + 1) % m_cluster.gpusPerCard == 0 || next == node.gpus.end())
                continue;
            const Rect from = m_arrangement.cell(box, gpu.slot, count);
            const Rect to = m_arrangement.cell(box, next->slot, count);
            m_canvas.line({from.x + from.width / 2.0, from.y + from.height / 2.0},
                {to.x + to.width / 2.0, to.y + to.height / 2.0}, groupColor("tp"),
                kWidestLink * m_canvas.theme.lineWidth);
        }
    }

    // Without its last parts where they do not fit.
    [[nodiscard]] std::string linkText(std::string link, double width) const {
        constexpr std::string_view kBetween = " · ";
        for (auto at = link.rfind(kBetween);
             at != std::string::npos && m_canvas.width(link) > width; at = link.rfind(kBetween))
            link.resize(at);
        return m_canvas.fitted(link, width);
    }

    void addFoot(std::size_t index, const Rect& box) const {
        const double baseline = box.bottom() - m_arrangement.pad;
        const double inside = box.width - 2.0 * m_arrangement.pad;
        double room = inside;
        if (index < m_data.nodes.size() && !m_data.nodes[index].link.empty()) {
            const std::string text = linkText(m_data.nodes[index].link, inside);
            m_canvas.text({box.right() - m_arrangement.pad, baseline}, text,
                legibleOn(groupColor("tp"), m_canvas.theme.panel, 4.5), TextRole::Small,
                Align::Right);
            room -= m_canvas.width(text) + 2.0 * m_canvas.gap();
        }
        for (const char* air : {"front ↑  air  rear ↓", "air ↓"}) {
            if (m_arrangement.cellRows > 1 && m_canvas.width(air) <= room) {
                m_canvas.note({box.x + m_arrangement.pad, baseline}, air);
                return;
            }
        }
    }

    // Rack and link domain of a node.
    [[nodiscard]] std::pair<int, int> placeOfNode(std::size_t index) const {
        const layout::ClusterNode& node = m_cluster.nodes[index];
        return {node.rack, node.node / m_cluster.nodesPerDomain};
    }

    // The longest first.
    [[nodiscard]] std::vector<std::string> namesOfPlace(std::size_t index) const {
        const auto [rack, domain] = placeOfNode(index);
        if (m_cluster.nodesPerDomain == 1)
            return {fmt::format("rack {}", rack), std::to_string(rack)};
        const std::string name = fmt::format("NVLink domain {}", domain);
        if (!m_cluster.nodesPerRack)
            return {name, std::to_string(domain)};
        return {fmt::format("rack {} · {}", rack, name), fmt::format("rack {}", rack),
            std::to_string(rack)};
    }

    // A line over the nodes of a rack or link domain that stand beside each other, with its name.
    void addRacks() const {
        if (m_arrangement.rackHead <= 0.0)
            return;
        const auto columns = static_cast<std::size_t>(m_arrangement.columns);
        for (std::size_t i = 0; i < m_cluster.nodes.size();) {
            std::size_t end = i + 1;
            while (end < m_cluster.nodes.size() && end % columns != 0
                && placeOfNode(end) == placeOfNode(i))
                ++end;
            const double y = m_diagram.nodes[i].y - 0.3 * m_arrangement.rackHead;
            const double right = m_diagram.nodes[end - 1].right();
            m_canvas.line({m_diagram.nodes[i].x, y}, {right, y}, m_canvas.theme.textMuted);
            const double room = right - m_diagram.nodes[i].x;
            for (const std::string& name : namesOfPlace(i)) {
                if (m_canvas.width(name) > room)
                    continue;
                m_canvas.note({m_diagram.nodes[i].x, y - 0.2 * m_canvas.size()}, name);
                break;
            }
            i = end;
        }
    }

    void addEdges(const FigureStyle& style) {
        const auto edges = edgeCurves(m_data, m_diagram.nodes, m_arrangement, style);
        const bool isDense = edges.size() > kManyEdges;
        // The widest at the bottom.
        for (const EdgeCurve& curve : edges) {
            addEdgeTarget(curve);
            const Color color = groupColor(m_data.edges[curve.edge].group);
            m_canvas.scene.items.emplace_back(
                Polyline{curve.points, isDense ? withAlpha(color, 0xA0) : color, curve.width});
        }
        if (m_arrangement.level == Level::Plain)
            return;
        std::vector<Rect> taken = m_diagram.nodes;
        for (const EdgeCurve& curve : edges)
            addEdgeLabel(curve, taken);
    }

    void addEdgeTarget(const EdgeCurve& curve) {
        const PhysicalEdge& edge = m_data.edges[curve.edge];
        Target target;
        target.line = curve.points;
        target.lineWidth = curve.width;
        target.shown.choice = curve.edge;
        const std::string title = fmt::format("node {} – node {}", edge.a, edge.b);
        target.tell
            = [title, group = groupTitle(edge.group), label = edge.label](Hit& hit, const Spot&) {
                  hit.title = title;
                  hit.facts.emplace_back(group, label);
              };
        m_diagram.targets.push_back(std::move(target));
    }

    // Below an arc, or on a curve between rows; left out where others are.
    void addEdgeLabel(const EdgeCurve& curve, std::vector<Rect>& taken) const {
        const std::string& text = m_data.edges[curve.edge].label;
        if (text.empty())
            return;
        const Point middle = curve.points[curve.points.size() / 2];
        const bool isArc = curve.points.front().y == curve.points.back().y;
        const double width = m_canvas.width(text) + 2.0;
        const double size = m_canvas.size();
        const double baseline = middle.y + (isArc ? curve.width / 2.0 + 1.1 * size : 0.36 * size);
        const Rect plate{middle.x - width / 2.0, baseline - 0.9 * size, width, 1.15 * size};
        const bool isInside = plate.x >= 0.0 && plate.right() <= m_canvas.scene.width
            && plate.bottom() <= m_canvas.scene.height;
        if (!isInside || std::any_of(taken.begin(), taken.end(), [&](const Rect& other) {
                return overlaps(plate, other);
            }))
            return;
        taken.push_back(plate);
        m_canvas.fill(plate, m_canvas.theme.window);
        m_canvas.text({middle.x, baseline}, text,
            legibleOn(groupColor(m_data.edges[curve.edge].group), m_canvas.theme.window, 4.5),
            TextRole::Small, Align::Centre);
    }

    const PhysicalData& m_data;
    const layout::Cluster& m_cluster;
    RankDiagram m_diagram;
    Canvas m_canvas;
    int m_ranks;
    CellTexts m_texts;
    NodeArrangement m_arrangement;
};

} // namespace

RankDiagram buildPhysical(const PhysicalData& data, const FigureStyle& style) {
    return Diagram(data, style).build(style);
}

} // namespace trainscope::plot
