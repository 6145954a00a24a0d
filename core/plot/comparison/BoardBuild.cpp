// The board: panels below each other, narrow ones beside each other where there is room.
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/figures/FigureFoot.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kThreeColumns = 76.0; // in sizes of the body text
constexpr double kTwoColumns = 48.0;
constexpr int kMostBoardNoteLines = 6;

// Rows of many runs need the whole width, except for those of one kind of value.
bool isNarrow(ComparisonPanel panel, bool many) {
    switch (panel) {
    case ComparisonPanel::Breakdown:
    case ComparisonPanel::Heatmap:
        return true;
    case ComparisonPanel::Curves:
    case ComparisonPanel::Kernels:
    case ComparisonPanel::Configuration:
        return !many;
    default:
        return false;
    }
}

MadeContent contentOf(const ComparisonFrame& frame, ComparisonPanel panel, double width) {
    const bool many = frame.data.isMany();
    switch (panel) {
    case ComparisonPanel::Verdict:
        return verdictContent(frame, width);
    case ComparisonPanel::Reasons:
        return reasonsContent(frame, width);
    case ComparisonPanel::Cards:
        return many ? runsTableContent(frame, width, true) : cardsContent(frame, width);
    case ComparisonPanel::Breakdown:
        return stacksContent(frame, width);
    case ComparisonPanel::Heatmap:
        return many ? heatRowsContent(frame, width) : heatContent(frame, width);
    case ComparisonPanel::Curves:
        return many ? curveRowsContent(frame, width) : curvesContent(frame, width);
    case ComparisonPanel::Tracks:
        return tracksContent(frame, width);
    case ComparisonPanel::Bars:
        return many ? runsTableContent(frame, width, false) : barsContent(frame, width);
    case ComparisonPanel::Kernels:
        return kernelsContent(frame, width);
    case ComparisonPanel::Configuration:
        break;
    }
    return configurationContent(frame, width);
}

class Board {
public:
    Board(const ComparisonData& data, const ComparisonStyle& style)
        : m_data(data)
        , m_style(style)
        , m_frame{{*style.theme, style.measure, m_geometry.scene}, data, style, m_geometry} {
        m_geometry.scene.width = style.width;
        m_geometry.scene.background = style.theme->window;
    }

    ComparisonGeometry build() {
        m_y = edge();
        drawTitle();
        if (m_data.isEmpty())
            drawEmpty();
        else
            placeAll();
        drawNotes();
        m_geometry.scene.height = std::max(m_y + edge() - gap(), m_style.height);
        return std::move(m_geometry);
    }

private:
    [[nodiscard]] double edge() const { return 4.0 * m_frame.gap(); }
    [[nodiscard]] double gap() const { return 3.0 * m_frame.gap(); }
    [[nodiscard]] double pad() const { return 3.5 * m_frame.gap(); }
    [[nodiscard]] double width() const { return std::max(m_style.width - 2.0 * edge(), 1.0); }
    [[nodiscard]] double headHeight() const {
        return 1.35 * m_frame.size(TextRole::Body) + m_frame.lineHeight() + 2.0 * m_frame.gap();
    }
    // Cards bring their own frames.
    [[nodiscard]] bool isFramed(ComparisonPanel panel) const {
        return panel != ComparisonPanel::Cards || m_data.isMany();
    }
    [[nodiscard]] bool hasHead(ComparisonPanel panel) const {
        return isFramed(panel) && panel != ComparisonPanel::Verdict;
    }
    [[nodiscard]] bool isNarrowHere(ComparisonPanel panel) const {
        return isNarrow(panel, m_data.isMany());
    }

    void drawTitle() {
        if (!m_style.title || m_data.title.empty())
            return;
        plot::drawTitle(m_frame, m_data.title, {edge(), m_y}, width());
        m_y += titleHeight(m_frame);
    }

    [[nodiscard]] std::vector<ComparisonPanel> shown() const {
        std::vector<ComparisonPanel> panels;
        for (const ComparisonPanel panel : kComparisonPanels) {
            const auto& chosen = m_style.panels;
            const bool wanted
                = chosen.empty() || std::find(chosen.begin(), chosen.end(), panel) != chosen.end();
            if (wanted && m_data.has(panel))
                panels.push_back(panel);
        }
        return panels;
    }

    void placeAll() {
        const auto panels = shown();
        const double sizes = width() / m_frame.size(TextRole::Body);
        const std::size_t columns = sizes >= kThreeColumns ? 3 : sizes >= kTwoColumns ? 2 : 1;
        for (std::size_t i = 0; i < panels.size();) {
            std::size_t end = i + 1;
            while (isNarrowHere(panels[i]) && end < panels.size() && end - i < columns
                && isNarrowHere(panels[end]))
                ++end;
            placeRow({panels.begin() + static_cast<std::ptrdiff_t>(i),
                panels.begin() + static_cast<std::ptrdiff_t>(end)});
            i = end;
        }
    }

    void placeRow(const std::vector<ComparisonPanel>& row) {
        const auto count = static_cast<double>(row.size());
        const double wide = (width() - gap() * (count - 1.0)) / count;
        std::vector<MadeContent> contents;
        double high = 0.0;
        for (const ComparisonPanel panel : row) {
            const double frame = hasHead(panel) ? 2.0 * pad() : 0.0;
            contents.push_back(contentOf(m_frame, panel, wide - frame));
            const double head = hasHead(panel) ? headHeight() + frame : 0.0;
            high = std::max(high, contents.back()->height() + head);
        }
        double x = edge();
        for (std::size_t i = 0; i < row.size(); ++i) {
            place(row[i], *contents[i], {x, m_y, wide, high});
            x += wide + gap();
        }
        m_y += high + gap();
    }

    void place(ComparisonPanel panel, const PanelContent& content, Rect rect) {
        m_geometry.panels.push_back({panel, rect});
        if (isFramed(panel))
            m_frame.box(rect, 1.5 * m_frame.gap(), m_frame.theme.lineWidth);
        if (!hasHead(panel))
            return content.draw(rect);
        const PanelTexts texts = textsOf(m_data, panel);
        const double inner = rect.width - 2.0 * pad();
        const double x = rect.x + pad();
        const double y = rect.y + pad() + m_frame.size(TextRole::Body);
        m_frame.heading({x, y}, texts.title, inner, TextRole::Body);
        m_frame.note({x, y + 1.35 * m_frame.size()}, m_frame.fitted(texts.subtitle, inner));
        const double top = rect.y + pad() + headHeight();
        content.draw({x, top, inner, rect.bottom() - pad() - top});
    }

    void drawEmpty() {
        const double height = kEmptyHeight * m_frame.lineHeight(TextRole::Body);
        drawEmptyText(m_frame, m_data.emptyText, {edge(), m_y, width(), height});
        m_y += height;
    }

    void drawNotes() {
        if (!m_style.notes || m_data.isEmpty())
            return;
        FigureFoot foot(m_frame, width(), kMostBoardNoteLines);
        foot.add(m_data.caption, m_data.notes);
        foot.draw(edge(), m_y - m_frame.gap());
        m_y += foot.height() + gap() - m_frame.gap();
    }

    const ComparisonData& m_data;
    const ComparisonStyle& m_style;
    ComparisonGeometry m_geometry;
    ComparisonFrame m_frame;
    double m_y = 0.0;
};

} // namespace

ComparisonGeometry buildComparison(const ComparisonData& data, const ComparisonStyle& style) {
    return Board(data, style).build();
}

} // namespace trainscope::plot
