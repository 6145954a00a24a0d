#include "core/plot/layout/PhysicalDiagram.h"

#include "core/plot/Palette.h"
#include "core/plot/TextFit.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/GroupOutlines.h"
#include "core/plot/layout/RankDiagram.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {
namespace {

// The network cards of a node below its GPUs, each with lines to the GPUs that are nearest to it by
// an imported topology. Pure.

using layout::PathKind;

constexpr double kBoxLines = 1.25; // height of a card, in sizes of its text
constexpr double kMostWidth = 5.0; // … and width, of its height
constexpr double kFaint = 0.45;

struct Card {
    std::size_t device = 0;
    std::vector<std::size_t> gpus; // places in the node
    double wish = 0.0; // preferred position: the mean of its GPUs' places
    bool isNear = false; // over PCIe bridges alone
};

class Strip {
public:
    Strip(const Canvas& canvas, const layout::Topology& topology, const layout::ClusterNode& node,
        const std::vector<Rect>& cells, const Rect& area)
        : m_canvas(canvas)
        , m_topology(topology)
        , m_node(node)
        , m_cells(cells)
        , m_area(area) { }

    void add() {
        findCards();
        const auto count = static_cast<double>(m_cards.size());
        const double step = m_area.width / count;
        const double height = kBoxLines * m_canvas.size();
        const double width = std::min(0.86 * step, kMostWidth * height);
        for (std::size_t i = 0; i < m_cards.size(); ++i) {
            const double middle = m_area.x + (static_cast<double>(i) + 0.5) * step;
            const Rect box{middle - width / 2.0, m_area.bottom() - height, width, height};
            for (const std::size_t gpu : m_cards[i].gpus)
                addLine(gpu, {middle, box.y}, m_cards[i].isNear);
            addCard(m_cards[i], box);
        }
    }

private:
    // In the order of the GPUs that they serve; those that serve none behind.
    void findCards() {
        for (const std::size_t device : m_topology.connectedNics())
            m_cards.push_back({device, {}, m_area.right(), false});
        for (std::size_t gpu = 0; gpu < m_node.gpus.size(); ++gpu) {
            const auto place = layout::gpuPlace(m_topology, m_node.gpus[gpu].local);
            const auto nearest = place ? m_topology.nearestNic(*place) : std::nullopt;
            if (!nearest)
                continue;
            const PathKind best = m_topology.path(*place, *nearest).kind;
            const bool isNear = best <= PathKind::Pxb;
            for (Card& card : m_cards) {
                const bool isOne = isNear ? m_topology.path(*place, card.device).kind == best
                                          : card.device == *nearest;
                if (isOne && best != PathKind::Unknown) {
                    card.gpus.push_back(gpu);
                    card.isNear = isNear;
                }
            }
        }
        for (Card& card : m_cards) {
            double sum = 0.0;
            for (const std::size_t gpu : card.gpus)
                sum += m_cells[gpu].x + m_cells[gpu].width / 2.0;
            if (!card.gpus.empty())
                card.wish = sum / static_cast<double>(card.gpus.size());
        }
        std::ranges::stable_sort(m_cards, {}, &Card::wish);
    }

    // From below its cell; those of the front row come down beside the cells of the rear.
    void addLine(std::size_t gpu, Point end, bool isNear) const {
        const Rect& cell = m_cells[gpu];
        const double top = m_area.y;
        const bool isFront = std::ranges::any_of(
            m_cells, [&](const Rect& other) { return other.y > cell.bottom(); });
        const double width = (isNear ? 1.2 : 0.8) * m_canvas.theme.lineWidth;
        const Color color = isNear
            ? m_canvas.theme.textSecondary
            : blend(m_canvas.theme.panel, m_canvas.theme.textSecondary, kFaint);
        const double gap = m_cells.size() > 1 ? gapOfCells() : 0.0;
        Point start{cell.x + cell.width / 2.0, top};
        if (isFront) {
            start.x = cell.right() + gap / 2.0;
            m_canvas.line(
                {start.x, cell.bottom() - 0.2 * cell.height}, {start.x, top}, color, width);
        } else {
            m_canvas.line({start.x, cell.bottom()}, start, color, width);
        }
        m_canvas.line(start, end, color, width);
    }

    [[nodiscard]] double gapOfCells() const {
        const double gap = m_cells[1].x - m_cells[0].right();
        return std::max(gap, 0.0);
    }

    void addCard(const Card& card, const Rect& box) const {
        m_canvas.fill(box, m_canvas.theme.line, 0.2 * box.height);
        const auto& device = m_topology.devices()[card.device];
        for (const std::string& name : {device.name, std::to_string(device.index)}) {
            if (m_canvas.width(name) > 0.94 * box.width)
                continue;
            m_canvas.text({box.x + box.width / 2.0, m_canvas.centred(box)}, name,
                legibleOn(m_canvas.theme.text, m_canvas.theme.line, 4.5), TextRole::Small,
                Align::Centre);
            break;
        }
    }

    const Canvas& m_canvas;
    const layout::Topology& m_topology;
    const layout::ClusterNode& m_node;
    const std::vector<Rect>& m_cells;
    Rect m_area;
    std::vector<Card> m_cards;
};

// `cells`: of the node's GPUs, in their order. Names that do not fit are numbers, or left out.
// Lines are full over PCIe bridges, faint over the CPU.
void addNics(const Canvas& canvas, const layout::Topology& topology,
    const layout::ClusterNode& node, const std::vector<Rect>& cells, const Rect& area) {
    if (!topology.connectedNics().empty() && cells.size() == node.gpus.size())
        Strip(canvas, topology, node, cells, area).add();
}

// The lines between nodes: arcs below a row of nodes, curves between rows, as wide as their bytes.
// Pure.

// A line between two nodes, as drawn.
struct EdgeCurve {
    std::size_t edge = 0; // index into the data's
    std::vector<Point> points;
    double width = 0.0;
};

constexpr int kCurvePieces = 20; // pieces of a curve
constexpr double kThinnest = 0.6; // line widths
constexpr double kWidestEdge = 5.0;
constexpr double kWidestOfSmall = 2.5; // beside cells without text
constexpr double kAside = 0.2; // share of a node's width, from its middle towards the other node
constexpr double kArcDepth = 0.5; // share of the band; below is the label
constexpr double kGroupStep = 0.25; // share of the depth, one group inside the other
constexpr std::size_t kGroupSteps = 4;
constexpr double kShallow = 0.4; // depth of an arc between neighbours, as a share of the deepest

// A cubic Bézier curve.
std::vector<Point> curve(Point a, Point b, Point c, Point d) {
    std::vector<Point> points;
    for (int i = 0; i <= kCurvePieces; ++i) {
        const double t = static_cast<double>(i) / kCurvePieces;
        const double u = 1.0 - t;
        const double w0 = u * u * u;
        const double w1 = 3.0 * u * u * t;
        const double w2 = 3.0 * u * t * t;
        const double w3 = t * t * t;
        points.push_back(
            {w0 * a.x + w1 * b.x + w2 * c.x + w3 * d.x, w0 * a.y + w1 * b.y + w2 * c.y + w3 * d.y});
    }
    return points;
}

class Curves {
public:
    Curves(const PhysicalData& data, const std::vector<Rect>& nodes,
        const NodeArrangement& arrangement, const FigureStyle& style)
        : m_data(data)
        , m_nodes(nodes)
        , m_arrangement(arrangement)
        , m_line(style.theme->lineWidth) {
        for (std::size_t i = 0; i < data.cluster->nodes.size(); ++i)
            m_places[data.cluster->nodes[i].node] = i;
        for (const PhysicalEdge& edge : data.edges)
            m_groups.try_emplace(edge.group, static_cast<double>(m_groups.size() % kGroupSteps));
    }

    std::vector<EdgeCurve> all() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < m_data.edges.size(); ++i) {
            const PhysicalEdge& edge = m_data.edges[i];
            if (edge.a != edge.b && m_places.contains(edge.a) && m_places.contains(edge.b)
                && edge.bytes > 0.0)
                order.push_back(i);
        }
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            return m_data.edges[a].bytes > m_data.edges[b].bytes;
        });
        order.resize(std::min(order.size(), kMostEdges));
        std::vector<EdgeCurve> curves;
        for (const std::size_t i : order) {
            const double share = m_data.edges[i].bytes / m_data.edges[order.front()].bytes;
            curves.push_back(
                {i, pointsOf(m_data.edges[i]), m_line * std::max(kThinnest, widest() * share)});
        }
        return curves;
    }

private:
    [[nodiscard]] double widest() const {
        return m_arrangement.level == CellTexts::Level::Plain ? kWidestOfSmall : kWidestEdge;
    }
    [[nodiscard]] std::size_t rowOf(std::size_t place) const {
        return place / static_cast<std::size_t>(m_arrangement.columns);
    }

    [[nodiscard]] std::vector<Point> pointsOf(const PhysicalEdge& edge) const {
        std::size_t from = m_places.at(edge.a);
        std::size_t to = m_places.at(edge.b);
        if (from > to)
            std::swap(from, to);
        const Rect& a = m_nodes[from];
        const Rect& b = m_nodes[to];
        // Lines of several groups between the same nodes lie inside each other.
        const double step = m_groups.at(edge.group) * kGroupStep;
        const double aside = (kAside + step / 4.0) * a.width
            * (b.x > a.x        ? 1.0
                    : b.x < a.x ? -1.0
                                : 0.0);
        const double left = a.x + a.width / 2.0 + aside;
        const double right = b.x + b.width / 2.0 - aside;
        if (rowOf(from) == rowOf(to)) {
            const double reach = static_cast<double>(to - from) / m_arrangement.columns;
            const double depth = kArcDepth * m_arrangement.band
                * (kShallow + (1.0 - kShallow) * std::min(1.0, reach)) * (1.0 - step);
            // Both inner points at 4/3 of the depth that the curve reaches.
            const double inner = a.bottom() + depth * 4.0 / 3.0;
            return curve({left, a.bottom()}, {left, inner}, {right, inner}, {right, a.bottom()});
        }
        const double down = std::max(b.y - a.bottom(), 0.0);
        return curve({left, a.bottom()}, {left, a.bottom() + down * 0.6}, {right, b.y - down * 0.6},
            {right, b.y});
    }

    const PhysicalData& m_data;
    const std::vector<Rect>& m_nodes;
    const NodeArrangement& m_arrangement;
    double m_line;
    std::map<int, std::size_t> m_places; // by node number
    std::map<std::string, double> m_groups; // in the order of appearance
};

// Lines of the greatest of the data's edges between boxes `nodes` (as in the cluster), widest
// first.
std::vector<EdgeCurve> edgeCurves(const PhysicalData& data, const std::vector<Rect>& nodes,
    const NodeArrangement& arrangement, const FigureStyle& style) {
    return Curves(data, nodes, arrangement, style).all();
}

using Level = CellTexts::Level;

constexpr std::size_t kManyEdges = 40; // from here on they shine through each other
constexpr double kWidestLink = 3.2; // line widths, of four links or more
constexpr double kIdleLink = 0.22; // share of the link's colour, if its load is not known or 0

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
            const auto next
                = std::ranges::find(node.gpus, gpu.local + 1, &layout::ClusterGpu::local);
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
        LabelRoom room({0.0, 0.0, m_canvas.scene.width, m_canvas.scene.height});
        for (const Rect& node : m_diagram.nodes)
            room.take(node);
        for (const EdgeCurve& curve : edges)
            addEdgeLabel(curve, room);
    }

    [[nodiscard]] std::string linkOf(const PhysicalEdge& edge) const {
        const int nodes = m_cluster.nodesPerDomain;
        if (edge.a / nodes != edge.b / nodes)
            return "network between nodes";
        return m_cluster.scaleUp.name.empty() ? "inside the node" : m_cluster.scaleUp.name;
    }

    void addEdgeTarget(const EdgeCurve& curve) {
        const PhysicalEdge& edge = m_data.edges[curve.edge];
        Target target;
        target.line = curve.points;
        target.lineWidth = curve.width;
        target.shown.choice = curve.edge;
        target.tell = [edge, link = linkOf(edge)](Hit& hit, const Spot&) {
            hit.title = fmt::format("Node {} and node {}", edge.a, edge.b);
            hit.facts.emplace_back(groupTitle(edge.group) + " groups", "both directions, per step");
            for (const auto& [how, bytes] :
                {std::pair("Measured", edge.measured), std::pair("Computed", edge.computed)}) {
                if (bytes)
                    hit.facts.emplace_back(how, text::rounded(*bytes, "B"));
            }
            hit.facts.emplace_back("Link", link);
        };
        m_diagram.targets.push_back(std::move(target));
    }

    // Below an arc, or on a curve between rows; left out where others are.
    void addEdgeLabel(const EdgeCurve& curve, LabelRoom& room) const {
        const std::string& text = m_data.edges[curve.edge].label;
        if (text.empty())
            return;
        const Point middle = curve.points[curve.points.size() / 2];
        const bool isArc = curve.points.front().y == curve.points.back().y;
        const double width = m_canvas.width(text) + 2.0;
        const double size = m_canvas.size();
        const double baseline = middle.y + (isArc ? curve.width / 2.0 + 1.1 * size : 0.36 * size);
        const Rect plate{middle.x - width / 2.0, baseline - 0.9 * size, width, 1.15 * size};
        if (!room.takeFirst(std::vector{plate}))
            return;
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
