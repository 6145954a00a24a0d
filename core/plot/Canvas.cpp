#include "core/plot/Canvas.h"

#include "core/plot/TextFit.h"

#include <algorithm>
#include <utility>

namespace trainscope::plot {

void Canvas::fill(Rect rect, Color color, double radius) const {
    if (rect.width > 0.0 && rect.height > 0.0)
        scene.items.emplace_back(FillRect{rect, color, radius, Hatch::None});
}

void Canvas::hatch(Rect rect, Color color) const {
    if (rect.width > 0.0 && rect.height > 0.0)
        scene.items.emplace_back(FillRect{rect, color, 0.0, Hatch::Diagonal});
}

void Canvas::box(Rect rect, double radius, double border) const {
    fill(rect, theme.line, radius);
    fill({rect.x + border, rect.y + border, rect.width - 2.0 * border, rect.height - 2.0 * border},
        theme.panel, std::max(radius - border, 0.0));
}

void Canvas::dot(Point centre, double diameter, Color color) const {
    const double radius = diameter / 2.0;
    fill({centre.x - radius, centre.y - radius, diameter, diameter}, color, radius);
}

void Canvas::line(Point from, Point to, Color color, double lineWidth) const {
    scene.items.emplace_back(Line{from, to, color, lineWidth, false});
}

void Canvas::text(Point anchor, std::string text, Color color, TextRole role, Align align,
    bool bold, double rotation) const {
    if (!text.empty())
        scene.items.emplace_back(
            Label{anchor, std::move(text), color, role, align, bold, rotation});
}

void Canvas::note(Point anchor, std::string text, Align align) const {
    this->text(anchor, std::move(text), theme.textSecondary, TextRole::Small, align);
}

void Canvas::heading(Point anchor, std::string_view text, double width, TextRole role) const {
    this->text(anchor, fitted(text, width, role, true), theme.text, role, Align::Left, true);
}

std::string Canvas::fitted(std::string_view text, double width, TextRole role, bool bold) const {
    return elided(text, width + 0.01, measure, role, bold);
}

std::vector<std::string> Canvas::wrapped(
    std::string_view text, double width, int most, TextRole role, bool bold) const {
    return plot::wrapped(text, width, most, measure, role, bold);
}

double Canvas::centred(double y, TextRole role) const {
    // Half the height of Latin capitals.
    return y + 0.36 * theme.size(role);
}

Point LegendFlow::place(double textWidth) {
    const double taken = beside() + textWidth;
    if (m_pen.x > 0.0 && m_pen.x + taken > m_width)
        nextRow();
    const Point at{m_corner.x + m_pen.x, m_corner.y + m_pen.y + m_look.middle};
    m_pen.x += taken + m_look.between;
    return at;
}

void LegendFlow::nextRow() {
    if (m_pen.x > 0.0)
        m_pen = {0.0, m_pen.y + m_look.row};
}

double LegendFlow::height() const {
    return m_pen.x > 0.0 ? m_pen.y + m_look.row : m_pen.y;
}

} // namespace trainscope::plot
