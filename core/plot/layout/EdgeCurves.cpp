#include "core/plot/layout/EdgeCurves.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace trainscope::plot {

namespace {

constexpr int kCurvePieces = 20; // pieces of a curve
constexpr double kThinnest = 0.6; // line widths
constexpr double kWidestEdge = 5.0;
constexpr double kWidestOfSmall = 2.5; // beside cells without text
constexpr double kAside = 0.2; // of a node, from its middle towards the other
constexpr double kArcDepth = 0.5; // of the band; below is the label
constexpr double kGroupStep = 0.25; // of the depth, one group inside the other
constexpr std::size_t kGroupSteps = 4;
constexpr double kShallow = 0.4; // of the deepest arc, one between neighbours

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
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
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
    std::map<int, std::size_t> m_places; // of node numbers
    std::map<std::string, double> m_groups; // in the order of appearance
};

} // namespace

std::vector<EdgeCurve> edgeCurves(const PhysicalData& data, const std::vector<Rect>& nodes,
    const NodeArrangement& arrangement, const FigureStyle& style) {
    return Curves(data, nodes, arrangement, style).all();
}

} // namespace trainscope::plot
