// The board: panels below each other, narrow ones beside each other where there is room.
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/figures/PanelBoard.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace trainscope::plot {

namespace {

constexpr double kThreeColumns = 76.0; // in sizes of the body text
constexpr double kTwoColumns = 48.0;

// Cards bring their own frames; the verdict is a headline itself.
PanelEdge edgeOf(ComparisonPanel panel, bool many) {
    if (panel == ComparisonPanel::Cards && !many)
        return PanelEdge::None;
    return panel == ComparisonPanel::Verdict ? PanelEdge::Frame : PanelEdge::FrameAndHead;
}

class Board {
public:
    Board(const ComparisonData& data, const FigureStyle& style, const BoardChoice& choice)
        : m_data(data)
        , m_choice(choice)
        , m_frame(m_picture, style, data, choice)
        , m_board(m_frame) { }

    Picture build() {
        m_board.addTitle(m_data.title);
        if (!m_data.isEmpty())
            placeAll();
        m_board.close(m_data);
        return std::move(m_picture);
    }

private:
    [[nodiscard]] bool isNarrowHere(ComparisonPanel panel) const {
        const auto width = rowOf(panel).width;
        return width == PanelRow::Width::Part
            || (width == PanelRow::Width::PartOfFew && !m_data.isMany());
    }

    [[nodiscard]] BoardPanel panelOf(ComparisonPanel panel) {
        PanelTexts texts = textsOf(m_data, panel);
        return {edgeOf(panel, m_data.isMany()), std::move(texts.title), std::move(texts.subtitle),
            1, [this, panel](double width) { return rowOf(panel).make(m_frame, width); }};
    }

    void placeAll() {
        const auto panels = shownPanels(m_data, m_choice);
        const double sizes = m_board.width() / m_frame.size(TextRole::Body);
        const std::size_t columns = sizes >= kThreeColumns ? 3 : sizes >= kTwoColumns ? 2 : 1;
        for (std::size_t i = 0; i < panels.size();) {
            std::vector<BoardPanel> row{panelOf(panels[i])};
            const std::size_t first = i++;
            while (isNarrowHere(panels[first]) && i < panels.size() && row.size() < columns
                && isNarrowHere(panels[i]))
                row.push_back(panelOf(panels[i++]));
            m_board.addRow(row);
        }
    }

    const ComparisonData& m_data;
    const BoardChoice& m_choice;
    Picture m_picture;
    ComparisonFrame m_frame;
    PanelBoard m_board;
};

} // namespace

std::vector<ComparisonPanel> shownPanels(const ComparisonData& data, const BoardChoice& choice) {
    std::vector<ComparisonPanel> panels;
    for (const ComparisonPanel panel : kComparisonPanels) {
        const auto& chosen = choice.panels;
        const bool isWanted = chosen.empty() || std::ranges::find(chosen, panel) != chosen.end();
        if (isWanted && data.has(panel))
            panels.push_back(panel);
    }
    return panels;
}

Picture buildComparison(
    const ComparisonData& data, const FigureStyle& style, const BoardChoice& choice) {
    return Board(data, style, choice).build();
}

} // namespace trainscope::plot
