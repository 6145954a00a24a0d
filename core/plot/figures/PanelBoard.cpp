#include "core/plot/figures/PanelBoard.h"

#include "core/plot/figures/FigureFoot.h"

#include <algorithm>

namespace trainscope::plot {

namespace { } // namespace

PanelBoard::PanelBoard(const Canvas& canvas, double width)
    : m_canvas(canvas)
    , m_width(width)
    , m_y(edge()) { }

double PanelBoard::width() const {
    return std::max(m_width - 2.0 * edge(), 1.0);
}

std::vector<std::string> PanelBoard::subtitleOf(const BoardPanel& panel, double inner) const {
    if (panel.mostLines > 1)
        return m_canvas.wrapped(panel.subtitle, inner, panel.mostLines);
    return {m_canvas.fitted(panel.subtitle, inner)};
}

double PanelBoard::headHeight(const BoardPanel& panel, double inner) const {
    const std::size_t lines = std::max<std::size_t>(subtitleOf(panel, inner).size(), 1);
    return 1.35 * m_canvas.size(TextRole::Body) + static_cast<double>(lines) * m_canvas.lineHeight()
        + 2.0 * m_canvas.gap();
}

void PanelBoard::addTitle(const std::string& title, int mostLines) {
    if (title.empty())
        return;
    const auto lines = m_canvas.wrapped(title, width(), mostLines, TextRole::Body, true);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        drawTitle(m_canvas, lines[i], {edge(), m_y}, width());
        m_y += i + 1 < lines.size() ? m_canvas.lineHeight(TextRole::Body) : titleHeight(m_canvas);
    }
}

void PanelBoard::addRow(const std::vector<BoardPanel>& row) {
    const auto count = static_cast<double>(row.size());
    const double wide = (width() - gap() * (count - 1.0)) / count;
    std::vector<MadeContent> contents;
    double high = 0.0;
    for (const BoardPanel& panel : row) {
        const bool hasHead = panel.edge == PanelEdge::FrameAndHead;
        const double around = hasHead ? 2.0 * pad() : 0.0;
        contents.push_back(panel.make(wide - around));
        const double head = hasHead ? headHeight(panel, wide - around) + around : 0.0;
        high = std::max(high, contents.back()->height() + head);
    }
    double x = edge();
    for (std::size_t i = 0; i < row.size(); ++i) {
        place(row[i], *contents[i], {x, m_y, wide, high});
        x += wide + gap();
    }
    m_y += high + gap();
}

void PanelBoard::place(const BoardPanel& panel, const PanelContent& content, Rect rect) const {
    panel.placed(rect);
    if (panel.edge != PanelEdge::None)
        m_canvas.box(rect, 1.5 * m_canvas.gap(), m_canvas.theme.lineWidth);
    if (panel.edge != PanelEdge::FrameAndHead)
        return content.draw(rect);
    const double inner = rect.width - 2.0 * pad();
    const double x = rect.x + pad();
    const double y = rect.y + pad() + m_canvas.size(TextRole::Body);
    m_canvas.heading({x, y}, panel.title, inner, TextRole::Body);
    double line = y + 1.35 * m_canvas.size();
    for (auto& words : subtitleOf(panel, inner)) {
        m_canvas.note({x, line}, std::move(words));
        line += m_canvas.lineHeight();
    }
    const double top = rect.y + pad() + headHeight(panel, inner);
    content.draw({x, top, inner, rect.bottom() - pad() - top});
}

void PanelBoard::addEmpty(const std::string& text) {
    const double height = kEmptyHeight * m_canvas.lineHeight(TextRole::Body);
    drawEmptyText(m_canvas, text, {edge(), m_y, width(), height});
    m_y += height;
}

void PanelBoard::addFoot(const std::string& caption, const std::vector<std::string>& notes) {
    FigureFoot foot(m_canvas, width());
    foot.add(caption, notes);
    foot.draw(edge(), m_y - m_canvas.gap());
    m_y += foot.height() + gap() - m_canvas.gap();
}

} // namespace trainscope::plot
