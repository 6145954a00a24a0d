#include "core/plot/figures/PanelBoard.h"

namespace trainscope::plot {

CellGrid::CellGrid(std::size_t count, double width, double leastWidth, double gap, std::size_t most)
    : m_count(count)
    , m_width(width)
    , m_gap(gap)
    , m_columns(std::clamp<std::size_t>(
          static_cast<std::size_t>(std::max(1.0, (width + gap) / (leastWidth + gap))), 1, most)) { }

void CellGrid::evenRows() {
    m_columns = m_count > 0 ? (m_count + rows() - 1) / rows() : 1;
}

double CellGrid::cellWidth() const {
    return (m_width + m_gap) / static_cast<double>(m_columns) - m_gap;
}

double CellGrid::height() const {
    return std::max(static_cast<double>(rows()) * (cellHeight() + m_gap) - m_gap, 0.0);
}

void CellGrid::draw(Rect area) const {
    for (std::size_t i = 0; i < m_count; ++i) {
        const std::size_t rowIndex = i / m_columns;
        const auto column = static_cast<double>(i % m_columns);
        const auto row = static_cast<double>(rowIndex);
        drawCell(i,
            {area.x + column * (cellWidth() + m_gap), area.y + row * (cellHeight() + m_gap),
                cellWidth(), cellHeight()});
    }
}

PanelBoard::PanelBoard(const Sheet& sheet)
    : m_sheet(sheet)
    , m_y(edge()) { }

std::vector<std::string> PanelBoard::subtitleOf(const BoardPanel& panel, double inner) const {
    if (panel.mostLines > 1)
        return m_sheet.wrapped(panel.subtitle, inner, panel.mostLines);
    return {m_sheet.fitted(panel.subtitle, inner)};
}

double PanelBoard::headHeight(const BoardPanel& panel, double inner) const {
    const std::size_t lines = std::max<std::size_t>(subtitleOf(panel, inner).size(), 1);
    return 1.35 * m_sheet.size(TextRole::Body) + static_cast<double>(lines) * m_sheet.lineHeight()
        + 2.0 * m_sheet.gap();
}

void PanelBoard::addTitle(const std::string& title, int mostLines) {
    if (title.empty() || !m_sheet.style.title)
        return;
    const auto lines = m_sheet.wrapped(title, width(), mostLines, TextRole::Body, true);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        drawTitle(m_sheet, lines[i], {edge(), m_y}, width());
        m_y += i + 1 < lines.size() ? m_sheet.lineHeight(TextRole::Body) : titleHeight(m_sheet);
    }
}

void PanelBoard::addRow(const std::vector<BoardPanel>& row) {
    const auto count = static_cast<double>(row.size());
    const double wide = (width() - gap() * (count - 1.0)) / count;
    std::vector<PanelContent> contents;
    double high = 0.0;
    for (const BoardPanel& panel : row) {
        const bool hasHead = panel.edge == PanelEdge::FrameAndHead;
        const double around = hasHead ? 2.0 * pad() : 0.0;
        contents.push_back(panel.make(wide - around));
        const double head = hasHead ? headHeight(panel, wide - around) + around : 0.0;
        high = std::max(high, contents.back().height + head);
    }
    double x = edge();
    for (std::size_t i = 0; i < row.size(); ++i) {
        place(row[i], contents[i], {x, m_y, wide, high});
        x += wide + gap();
    }
    m_y += high + gap();
}

void PanelBoard::place(const BoardPanel& panel, const PanelContent& content, Rect rect) const {
    m_sheet.picture.areas.push_back(rect);
    if (panel.edge != PanelEdge::None)
        m_sheet.box(rect, 1.5 * m_sheet.gap(), m_sheet.theme.lineWidth);
    if (panel.edge != PanelEdge::FrameAndHead)
        return content.draw(rect);
    const double inner = rect.width - 2.0 * pad();
    const double x = rect.x + pad();
    const double y = rect.y + pad() + m_sheet.size(TextRole::Body);
    m_sheet.heading({x, y}, panel.title, inner, TextRole::Body);
    double line = y + 1.35 * m_sheet.size();
    for (auto& words : subtitleOf(panel, inner)) {
        m_sheet.note({x, line}, std::move(words));
        line += m_sheet.lineHeight();
    }
    const double top = rect.y + pad() + headHeight(panel, inner);
    content.draw({x, top, inner, rect.bottom() - pad() - top});
}

void PanelBoard::addEmpty(const std::string& text) {
    const double height = kEmptyHeight * m_sheet.lineHeight(TextRole::Body);
    drawEmptyText(m_sheet, text, {edge(), m_y, width(), height});
    m_y += height;
}

void PanelBoard::addFoot(const SheetTexts& texts) {
    const SheetFoot foot(m_sheet, texts, width());
    foot.draw(edge(), m_y - m_sheet.gap());
    m_y += foot.height() + gap() - m_sheet.gap();
}

void PanelBoard::close(const SheetTexts& texts) {
    Picture& picture = m_sheet.picture;
    if (picture.areas.empty())
        addEmpty(texts.emptyText);
    else if (m_sheet.style.caption)
        addFoot(texts);
    picture.preferredHeight = m_y + edge() - gap();
    picture.scene.height = std::max(picture.preferredHeight, m_sheet.style.height);
}

} // namespace trainscope::plot
