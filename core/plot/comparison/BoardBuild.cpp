// The board: panels below each other, narrow ones beside each other where there is room.
#include "core/plot/TextFit.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/figures/FigureFoot.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kThreeColumns = 76.0; // in sizes of the body text
constexpr double kTwoColumns = 48.0;
constexpr int kMostNoteLines = 6;
constexpr double kEmptyHeight = 12.0; // lines

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

double contentHeight(const ComparisonFrame& frame, ComparisonPanel panel, double width) {
    const bool many = frame.data.isMany();
    switch (panel) {
    case ComparisonPanel::Verdict:
        return verdictHeight(frame, width);
    case ComparisonPanel::Reasons:
        return reasonsHeight(frame, width);
    case ComparisonPanel::Cards:
        return many ? runsTableHeight(frame, width, true) : cardsHeight(frame, width);
    case ComparisonPanel::Breakdown:
        return stacksHeight(frame, width);
    case ComparisonPanel::Heatmap:
        return many ? heatRowsHeight(frame, width) : heatHeight(frame, width);
    case ComparisonPanel::Curves:
        return many ? curveRowsHeight(frame, width) : curvesHeight(frame, width);
    case ComparisonPanel::Tracks:
        return tracksHeight(frame, width);
    case ComparisonPanel::Bars:
        return many ? runsTableHeight(frame, width, false) : barsHeight(frame, width);
    case ComparisonPanel::Kernels:
        return kernelsHeight(frame, width);
    case ComparisonPanel::Configuration:
        break;
    }
    return configurationHeight(frame, width);
}

void drawContent(const ComparisonFrame& frame, ComparisonPanel panel, Rect area) {
    const bool many = frame.data.isMany();
    switch (panel) {
    case ComparisonPanel::Verdict:
        return drawVerdict(frame, area);
    case ComparisonPanel::Reasons:
        return drawReasons(frame, area);
    case ComparisonPanel::Cards:
        return many ? drawRunsTable(frame, area, true) : drawCards(frame, area);
    case ComparisonPanel::Breakdown:
        return drawStacks(frame, area);
    case ComparisonPanel::Heatmap:
        return many ? drawHeatRows(frame, area) : drawHeat(frame, area);
    case ComparisonPanel::Curves:
        return many ? drawCurveRows(frame, area) : drawCurves(frame, area);
    case ComparisonPanel::Tracks:
        return drawTracks(frame, area);
    case ComparisonPanel::Bars:
        return many ? drawRunsTable(frame, area, false) : drawBars(frame, area);
    case ComparisonPanel::Kernels:
        return drawKernels(frame, area);
    case ComparisonPanel::Configuration:
        break;
    }
    drawConfiguration(frame, area);
}

class Board {
public:
    Board(const ComparisonData& data, const ComparisonStyle& style)
        : m_data(data)
        , m_style(style)
        , m_figure{style.theme, style.width, 0.0, style.measure, true, true}
        , m_draw{m_figure, *style.theme, m_geometry.scene}
        , m_frame{data, style, m_draw, m_geometry} {
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
    [[nodiscard]] double edge() const { return 4.0 * m_draw.gap(); }
    [[nodiscard]] double gap() const { return 3.0 * m_draw.gap(); }
    [[nodiscard]] double pad() const { return 3.5 * m_draw.gap(); }
    [[nodiscard]] double width() const { return std::max(m_style.width - 2.0 * edge(), 1.0); }
    [[nodiscard]] double headHeight() const {
        return 1.35 * m_draw.size(TextRole::Body) + m_draw.lineHeight(TextRole::Small)
            + 2.0 * m_draw.gap();
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
        m_draw.text({edge(), m_y + m_draw.size(TextRole::Body)},
            m_frame.fitted(m_data.title, width(), TextRole::Body, true), m_draw.theme.text,
            TextRole::Body, Align::Left, true);
        m_y += m_draw.lineHeight(TextRole::Body) + 2.0 * m_draw.gap();
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
        const double sizes = width() / m_draw.size(TextRole::Body);
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
        double high = 0.0;
        for (const ComparisonPanel panel : row)
            high = std::max(high, panelHeight(panel, wide));
        double x = edge();
        for (const ComparisonPanel panel : row) {
            place(panel, {x, m_y, wide, high});
            x += wide + gap();
        }
        m_y += high + gap();
    }

    [[nodiscard]] double panelHeight(ComparisonPanel panel, double wide) const {
        const double inner = hasHead(panel) ? wide - 2.0 * pad() : wide;
        return contentHeight(m_frame, panel, inner)
            + (hasHead(panel) ? headHeight() + 2.0 * pad() : 0.0);
    }

    void place(ComparisonPanel panel, Rect rect) {
        m_geometry.panels.push_back({panel, rect});
        if (isFramed(panel))
            drawPanelFrame(rect);
        if (!hasHead(panel))
            return drawContent(m_frame, panel, rect);
        const PanelTexts texts = textsOf(m_data, panel);
        const double inner = rect.width - 2.0 * pad();
        double y = rect.y + pad() + m_draw.size(TextRole::Body);
        m_draw.text({rect.x + pad(), y}, m_frame.fitted(texts.title, inner, TextRole::Body, true),
            m_draw.theme.text, TextRole::Body, Align::Left, true);
        y += 1.35 * m_draw.size(TextRole::Small);
        m_draw.text({rect.x + pad(), y}, m_frame.fitted(texts.subtitle, inner, TextRole::Small),
            m_draw.theme.textSecondary, TextRole::Small);
        const double top = rect.y + pad() + headHeight();
        drawContent(m_frame, panel, {rect.x + pad(), top, inner, rect.bottom() - pad() - top});
    }

    void drawPanelFrame(Rect rect) const {
        const double line = m_draw.theme.lineWidth;
        const double radius = 1.5 * m_draw.gap();
        m_draw.scene.items.emplace_back(FillRect{rect, m_draw.theme.line, radius, Hatch::None});
        m_draw.scene.items.emplace_back(FillRect{
            {rect.x + line, rect.y + line, rect.width - 2.0 * line, rect.height - 2.0 * line},
            m_draw.theme.panel, radius - line, Hatch::None});
    }

    void drawEmpty() {
        const double height = kEmptyHeight * m_draw.lineHeight(TextRole::Body);
        double y = m_y + height / 2.0;
        for (const auto& line :
            wrapped(m_data.emptyText, 0.8 * width(), 4, m_style.measure, TextRole::Body)) {
            m_draw.text({edge() + width() / 2.0, y}, line, m_draw.theme.textSecondary,
                TextRole::Body, Align::Centre);
            y += m_draw.lineHeight(TextRole::Body);
        }
        m_y += height;
    }

    void drawNotes() {
        if (!m_style.notes || m_data.isEmpty())
            return;
        FigureFoot foot(m_draw, width(), kMostNoteLines);
        foot.add(m_data.caption, m_data.notes);
        foot.draw(edge(), m_y - m_draw.gap());
        m_y += foot.height() + gap() - m_draw.gap();
    }

    const ComparisonData& m_data;
    const ComparisonStyle& m_style;
    ComparisonGeometry m_geometry;
    FigureStyle m_figure;
    FigureFrame m_draw;
    ComparisonFrame m_frame;
    double m_y = 0.0;
};

} // namespace

ComparisonGeometry buildComparison(const ComparisonData& data, const ComparisonStyle& style) {
    return Board(data, style).build();
}

} // namespace trainscope::plot
