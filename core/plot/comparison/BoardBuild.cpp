// The board: panels below each other, narrow ones beside each other where there is room.
// Cards: one quantity each, with the change to the first run first.

#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/plot/figures/PanelBoard.h"

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

constexpr double kLeastCardWidth = 14.0; // in sizes of the body text
constexpr std::size_t kMostColumns = 6;

std::vector<std::size_t> cardsOf(const ComparisonData& data) {
    std::vector<std::size_t> cards;
    for (std::size_t i = 0; i < data.quantities.size(); ++i) {
        if (data.quantities[i].isCard)
            cards.push_back(i);
    }
    return cards;
}

class CardGrid : public CellGrid {
public:
    CardGrid(const ComparisonFrame& frame, std::vector<std::size_t> cards, double width)
        : CellGrid(cards.size(), width, kLeastCardWidth * frame.size(TextRole::Body),
            3.0 * frame.gap(), kMostColumns)
        , m_frame(frame)
        , m_cards(std::move(cards)) {
        evenRows();
    }

private:
    [[nodiscard]] double pad() const { return 3.0 * m_frame.gap(); }
    [[nodiscard]] bool isPair() const { return m_frame.data.runs.size() == 2; }
    [[nodiscard]] double titleLine() const { return 1.4 * m_frame.size(TextRole::Secondary); }
    [[nodiscard]] double bigLine() const { return 1.35 * m_frame.size(TextRole::Title); }
    [[nodiscard]] double runLine() const { return m_frame.lineHeight(TextRole::Secondary); }
    [[nodiscard]] double cellHeight() const override {
        const double rows = isPair() ? bigLine() + runLine()
                                     : static_cast<double>(m_frame.data.runs.size()) * runLine();
        return 2.0 * pad() + titleLine() + rows;
    }

    void drawCell(std::size_t card, Rect rect) const override {
        const std::size_t index = m_cards[card];
        const auto& quantity = m_frame.data.quantities[index];
        m_frame.box(rect, 1.5 * m_frame.gap(), m_frame.theme.lineWidth);
        m_frame.addQuantity(rect, index, m_frame.data.runs.size() - 1);
        const double inner = rect.width - 2.0 * pad();
        const double x = rect.x + pad();
        double y = rect.y + pad() + m_frame.size(TextRole::Secondary);
        m_frame.text({x, y}, m_frame.fitted(quantity.axis.title, inner, TextRole::Secondary),
            m_frame.theme.textSecondary, TextRole::Secondary);
        y = rect.y + pad() + titleLine();
        if (isPair())
            drawPair(quantity, {x, y, inner, rect.bottom() - pad() - y});
        else
            drawRuns(quantity, {x, y, inner, rect.bottom() - pad() - y});
    }

    [[nodiscard]] Color changeInk(const ComparisonQuantity& quantity, std::size_t run) const {
        return quantity.changes[run].weight == analysis::Difference::Weight::Beyond
            ? m_frame.theme.text
            : m_frame.theme.textSecondary;
    }

    void drawPair(const ComparisonQuantity& quantity, Rect area) const {
        const double base = area.y + 1.05 * m_frame.size(TextRole::Title);
        const std::string change = changeText(quantity.changes[1]);
        m_frame.text(
            {area.x, base}, change, changeInk(quantity, 1), TextRole::Title, Align::Left, true);
        drawWeight(quantity, 1, area.right(), base,
            area.width - m_frame.width(change, TextRole::Title, true) - 2.0 * m_frame.gap());
        const double foot = area.bottom() - 0.25 * runLine();
        for (std::size_t run = 0; run < 2; ++run) {
            const std::string text = m_frame.fitted(
                m_frame.mark(run) + " " + quantityValueText(quantity.axis, quantity.value(run)),
                area.width / 2.0, TextRole::Secondary);
            m_frame.text({run == 0 ? area.x : area.right(), foot}, text, m_frame.inkOf(run),
                TextRole::Secondary, run == 0 ? Align::Left : Align::Right);
        }
    }

    void drawRuns(const ComparisonQuantity& quantity, Rect area) const {
        for (std::size_t run = 0; run < m_frame.data.runs.size(); ++run) {
            const double base = area.y + (static_cast<double>(run) + 0.75) * runLine();
            m_frame.text({area.x, base},
                m_frame.fitted(
                    m_frame.mark(run) + " " + quantityValueText(quantity.axis, quantity.value(run)),
                    0.55 * area.width, TextRole::Secondary),
                m_frame.inkOf(run), TextRole::Secondary);
            if (run > 0)
                m_frame.text({area.right(), base}, changeText(quantity.changes[run]),
                    changeInk(quantity, run), TextRole::Secondary, Align::Right, true);
        }
    }

    // The change against the spread, where there is room; a dot in the better run's colour.
    void drawWeight(const ComparisonQuantity& quantity, std::size_t run, double right, double base,
        double room) const {
        const std::string text = weightText(m_frame.data, quantity, run);
        const double dot = 0.6 * m_frame.size();
        const double wide = m_frame.width(text);
        if (text.empty())
            return;
        const auto better = betterRun(quantity, run);
        const double space = wide + (better ? dot + m_frame.gap() : 0.0);
        if (space > room)
            return;
        m_frame.note({right, base}, text, Align::Right);
        if (better)
            m_frame.dot({right - wide - m_frame.gap() - dot / 2.0, base - 0.36 * m_frame.size()},
                dot, m_frame.fillOf(*better));
    }

    const ComparisonFrame& m_frame;
    std::vector<std::size_t> m_cards;
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

PanelContent cardsContent(const ComparisonFrame& frame, double width) {
    if (frame.data.isMany())
        return runsTable(frame, width, true);
    return CardGrid(frame, cardsOf(frame.data), width);
}

} // namespace trainscope::plot
