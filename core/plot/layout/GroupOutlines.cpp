#include "core/plot/layout/GroupOutlines.h"

#include "core/plot/figures/FigureParts.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

using layout::CommunicatorKind;

struct GroupLook {
    std::string_view key;
    std::string_view title;
    GroupMark mark;
    std::uint32_t color;
};

// Okabe-Ito, dark enough to stand on light and dark cells with the halo below.
constexpr std::array<GroupLook, 9> kLooks{{
    {"tp", "tensor", GroupMark::Frame, 0x0072B2},
    {"pp", "pipeline", GroupMark::Dashes, 0xD55E00},
    {"dp", "data", GroupMark::Corners, 0x009E73},
    {"dp_cp", "data", GroupMark::Corners, 0x009E73},
    {"cp", "context", GroupMark::Sides, 0xCC79A7},
    {"ep", "expert", GroupMark::Caps, 0xE69F00},
    {"etp", "expert tensor", GroupMark::Sides, 0x56B4E9},
    {"edp", "expert data", GroupMark::Corners, 0x56B4E9},
    {"embedding", "embedding", GroupMark::Dashes, 0x999999},
}};
constexpr GroupLook kOther{"", "", GroupMark::Frame, 0x999999};

const GroupLook& lookOf(std::string_view key) {
    const auto found = std::ranges::find(kLooks, key, &GroupLook::key);
    return found == kLooks.end() ? kOther : *found;
}

Rect inset(const Rect& rect, double by) {
    const double most = std::min(rect.width, rect.height) / 2.0;
    const double in = std::min(by, most);
    return {rect.x + in, rect.y + in, rect.width - 2.0 * in, rect.height - 2.0 * in};
}

class Marker {
public:
    Marker(std::vector<SceneItem>& items, Color color, double width)
        : m_items(items)
        , m_color(color)
        , m_width(width) { }

    void mark(const Rect& rect, GroupMark mark) {
        const Point a{rect.x, rect.y};
        const Point b{rect.right(), rect.y};
        const Point c{rect.right(), rect.bottom()};
        const Point d{rect.x, rect.bottom()};
        switch (mark) {
        case GroupMark::Frame:
            m_items.emplace_back(Polyline{{a, b, c, d, a}, m_color, m_width});
            break;
        case GroupMark::Dashes:
            for (const auto& [from, to] : {std::pair{a, b}, {b, c}, {d, c}, {a, d}})
                line(from, to, true);
            break;
        case GroupMark::Corners:
            corners(rect);
            break;
        case GroupMark::Sides:
            line(a, d, false);
            line(b, c, false);
            break;
        case GroupMark::Caps:
            line(a, b, false);
            line(d, c, false);
            break;
        }
    }

private:
    void line(Point from, Point to, bool dashed) {
        m_items.emplace_back(Line{from, to, m_color, m_width, dashed});
    }

    void corners(const Rect& rect) {
        constexpr double kShare = 0.3;
        const double arm = std::min(rect.width, rect.height) * kShare;
        for (const double x : {rect.x, rect.right()}) {
            for (const double y : {rect.y, rect.bottom()}) {
                const double right = x == rect.x ? arm : -arm;
                const double down = y == rect.y ? arm : -arm;
                m_items.emplace_back(
                    Polyline{{{x + right, y}, {x, y}, {x, y + down}}, m_color, m_width});
            }
        }
    }

    std::vector<SceneItem>& m_items;
    Color m_color;
    double m_width;
};

constexpr int kMostSwatches = 8; // beyond it colours are steps of a scale
constexpr double kBarWidth = 150.0;

class Legend {
public:
    Legend(const Canvas& canvas, const DiagramLegend& legend, Point corner, double width,
        bool isDrawn = true)
        : m_canvas(canvas)
        , m_legend(legend)
        , m_corner(corner)
        , m_width(width)
        , m_isDrawn(isDrawn)
        , m_swatch(0.9 * canvas.size())
        , m_flow(canvas,
              {m_swatch, canvas.gap(), 3.0 * canvas.gap(), 1.25 * canvas.lineHeight(),
                  0.5 * canvas.lineHeight(), canvas.theme.textSecondary},
              corner, width, isDrawn) { }

    // Entries flow from the left; the scale has a line of its own. Returns the height.
    double lay() {
        for (const LitGroup& group : m_legend.groups) {
            const std::string key(infoOf(group.kind).key);
            entry(markText(key), [&](const Rect& rect) {
                addGroupMark(m_canvas.scene.items, rect, key, 2.0 * m_canvas.theme.lineWidth);
            });
        }
        for (const std::string& key : lines())
            entry(groupTitle(key) + " between nodes", [&](const Rect& rect) {
                const double y = rect.y + rect.height / 2.0;
                m_canvas.line({rect.x, y}, {rect.right(), y}, groupColor(key),
                    3.0 * m_canvas.theme.lineWidth);
            });
        if (m_legend.colours->by == RankColour::Value)
            return scale(m_legend.colours->scale);
        return m_legend.layout == nullptr ? m_flow.height() : categories();
    }

private:
    // Kinds of lines between nodes, in the order of appearance.
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> kinds;
        for (const PhysicalEdge& edge : m_legend.edges) {
            if (std::ranges::find(kinds, edge.group) == kinds.end())
                kinds.push_back(edge.group);
        }
        return kinds;
    }
    [[nodiscard]] std::string markText(const std::string& key) const {
        return m_legend.rank ? fmt::format("{} group of rank {}", groupTitle(key), *m_legend.rank)
                             : groupTitle(key) + " group";
    }

    template <typename Draw>
    void entry(const std::string& text, const Draw& draw) {
        m_flow.add(text, [&](Point left) {
            draw(Rect{left.x, left.y - m_swatch / 2.0, m_swatch, m_swatch});
        });
    }

    double categories() {
        const int count = colourCount(m_legend.colours->by, *m_legend.layout);
        const auto name = toString(m_legend.colours->by);
        if (count > kMostSwatches) {
            FigureAxis axis;
            axis.title = std::string(name);
            axis.range = {0.0, static_cast<double>(count - 1)};
            return scale(axis);
        }
        for (int index = 0; index < count; ++index)
            entry(fmt::format("{} {}", name, index),
                [&](const Rect& rect) { m_canvas.fill(rect, indexColor(index, count)); });
        return m_flow.height();
    }

    double scale(const FigureAxis& axis) {
        const double bar = 2.0 * m_canvas.gap();
        const double width = std::min(kBarWidth, 0.5 * m_width);
        const double numbers = m_canvas.lineHeight(); // they are centred on the bar's ends
        const double x = m_corner.x + m_width - width - numbers;
        const double y = m_corner.y + m_flow.height();
        if (m_isDrawn) {
            drawColourScale(m_canvas, {x, y, width, bar}, axis, 5);
            m_canvas.text({x - 2.0 * m_canvas.gap(), m_canvas.centred(y + bar / 2.0)},
                m_canvas.fitted(axisTitle(axis), x - m_corner.x - 3.0 * m_canvas.gap()),
                m_canvas.theme.text, TextRole::Small, Align::Right);
        }
        return m_flow.height() + bar + colourScaleFoot(m_canvas);
    }

    const Canvas& m_canvas;
    const DiagramLegend& m_legend;
    Point m_corner;
    double m_width;
    bool m_isDrawn;
    double m_swatch;
    LegendFlow m_flow;
};

} // namespace

Color groupColor(std::string_view key) {
    return rgb(lookOf(key).color);
}

GroupMark groupMark(std::string_view key) {
    return lookOf(key).mark;
}

std::string groupTitle(std::string_view key) {
    const GroupLook& look = lookOf(key);
    return std::string(look.title.empty() ? key : look.title);
}

std::vector<LitGroup> litGroups(
    const layout::Layout& layout, int rank, std::optional<CommunicatorKind> only) {
    constexpr std::array kUsual{CommunicatorKind::Tensor, CommunicatorKind::Pipeline,
        CommunicatorKind::Data, CommunicatorKind::Context, CommunicatorKind::Expert};
    std::vector<LitGroup> groups;
    const auto take = [&](CommunicatorKind kind) {
        auto ranks = layout.grid.groupOf(kind, rank);
        if (ranks.size() > 1)
            groups.push_back({kind, std::move(ranks)});
    };
    if (only)
        take(*only);
    else
        std::for_each(kUsual.begin(), kUsual.end(), take);
    return groups;
}

void addGroupMark(
    std::vector<SceneItem>& items, const Rect& rect, std::string_view key, double width) {
    Marker(items, groupColor(key), width).mark(rect, groupMark(key));
}

std::vector<SceneItem> groupOutlines(const RankDiagram& diagram,
    const std::vector<LitGroup>& groups, std::optional<int> rank, const Theme& theme) {
    std::vector<SceneItem> items;
    const auto cellOf = [&](int one) {
        const auto at = static_cast<std::size_t>(one);
        return one >= 0 && at < diagram.cells.size() ? diagram.cells[at] : Rect{};
    };
    const double width = 2.0 * theme.lineWidth;
    std::map<int, int> marked; // number of outlines by rank
    for (const LitGroup& group : groups) {
        const auto key = infoOf(group.kind).key;
        for (const int one : group.ranks) {
            const Rect cell = cellOf(one);
            if (cell.width <= 0.0 || rank == one)
                continue;
            const Rect rect = inset(cell, width * (0.5 + marked[one]++));
            // On whatever colour the cell has: a pale line below the mark.
            Marker(items, withAlpha(rgb(0xFFFFFF), 0xC0), 2.0 * width).mark(rect, groupMark(key));
            addGroupMark(items, rect, key, width);
        }
    }
    if (!rank || cellOf(*rank).width <= 0.0)
        return items;
    const Rect frame = inset(cellOf(*rank), -width / 2.0);
    Marker(items, theme.window, 2.5 * width).mark(frame, GroupMark::Frame);
    Marker(items, theme.text, 1.5 * width).mark(frame, GroupMark::Frame);
    return items;
}

double legendHeight(const Canvas& canvas, const DiagramLegend& legend, double width) {
    return Legend(canvas, legend, {}, width, false).lay();
}

void drawLegend(const Canvas& canvas, const DiagramLegend& legend, const Rect& area) {
    Legend(canvas, legend, {area.x, area.y}, area.width).lay();
}

} // namespace trainscope::plot
