#include "core/plot/figures/PanelBuild.h"

namespace trainscope::plot {

namespace {

constexpr double kStackedPlot = 7.0; // lines of small text that a plot area wants
constexpr double kSinglePlot = 14.0;

constexpr double kAir = 0.94; // share of a category's width that its label may take
constexpr double kLongestTurned = 14.0; // in sizes of the text
constexpr double kTurned = -90.0;

// Broken where a hyphen or a blank lets it: "TP8-" "PP4".
std::vector<std::string> pieces(const std::string& text) {
    std::vector<std::string> result;
    std::string piece;
    for (const char c : text) {
        if (c == '\n' || c == ' ') {
            if (!piece.empty())
                result.push_back(std::move(piece));
            piece.clear();
            continue;
        }
        piece += c;
        if (c == '-') {
            result.push_back(std::move(piece));
            piece.clear();
        }
    }
    if (!piece.empty())
        result.push_back(std::move(piece));
    return result;
}

// As many pieces in a line as fit; empty where a piece alone is too wide.
std::vector<std::string> broken(const Canvas& canvas, const std::string& text, double width) {
    std::vector<std::string> lines;
    for (const auto& part : linesOf(text)) {
        std::string line;
        for (const auto& piece : pieces(part)) {
            if (canvas.width(piece) > width)
                return {};
            const std::string longer
                = line.empty() || line.back() == '-' ? line + piece : line + " " + piece;
            if (canvas.width(longer) <= width) {
                line = longer;
            } else {
                lines.push_back(std::move(line));
                line = piece;
            }
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string inOneLine(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

// The labels below a category axis: in one line where they fit, broken into lines at their hyphens,
// turned, or thinned out; and the groups below them.
class CategoryAxis {
public:
    // `width`: of the axis.
    CategoryAxis(const Canvas& canvas, const std::vector<FigureCategory>& categories, double width);

    [[nodiscard]] double height() const;
    // Below the plot area whose left edge and bottom these are.
    void draw(double left, double bottom) const;
    // Categories whose label is drawn: every step-th.
    [[nodiscard]] std::size_t step() const { return m_step; }

private:
    enum class Style { Lines, Turned };
    struct Group {
        std::size_t first = 0;
        std::size_t count = 0;
        std::vector<std::string> lines;
    };
    void placeLabels();
    void placeGroups();
    void drawGroups(double left, double top) const;
    [[nodiscard]] double distance() const;
    [[nodiscard]] double labelsHeight() const;

    const Canvas& m_canvas;
    const std::vector<FigureCategory>& m_categories;
    double m_width;
    Style m_style = Style::Lines;
    std::size_t m_step = 1;
    std::vector<std::vector<std::string>> m_labels; // by category, its lines
    std::size_t m_lines = 1; // most of a label
    double m_longest = 0.0; // extent of the longest turned label
    std::vector<Group> m_groups; // empty: no category has one
    std::size_t m_groupLines = 0;
};

CategoryAxis::CategoryAxis(
    const Canvas& canvas, const std::vector<FigureCategory>& categories, double width)
    : m_canvas(canvas)
    , m_categories(categories)
    , m_width(width) {
    placeLabels();
    placeGroups();
}

double CategoryAxis::distance() const {
    return m_width / static_cast<double>(std::max<std::size_t>(m_categories.size(), 1));
}

void CategoryAxis::placeLabels() {
    constexpr std::size_t kMostLines = 3;
    const double room = kAir * distance();
    bool fits = true;
    for (const auto& category : m_categories) {
        auto lines = broken(m_canvas, category.label, room);
        fits = fits && !lines.empty() && lines.size() <= kMostLines;
        m_labels.push_back(std::move(lines));
    }
    if (fits) {
        for (const auto& lines : m_labels)
            m_lines = std::max(m_lines, lines.size());
        return;
    }
    m_style = Style::Turned;
    m_step = labelStep(m_canvas.size(), distance());
    const double most = kLongestTurned * m_canvas.size();
    for (std::size_t i = 0; i < m_categories.size(); ++i) {
        m_labels[i] = {m_canvas.fitted(inOneLine(m_categories[i].label), most)};
        m_longest = std::max(m_longest, m_canvas.width(m_labels[i].front()));
    }
    // Numbers stay upright and are thinned out instead.
    const bool areNumbers = std::ranges::all_of(m_categories, [](const FigureCategory& category) {
        return category.label.find_first_not_of("0123456789") == std::string::npos;
    });
    if (areNumbers) {
        m_style = Style::Lines;
        m_step = labelStep(m_longest, distance());
        m_lines = 1;
    }
}

void CategoryAxis::placeGroups() {
    for (std::size_t i = 0; i < m_categories.size(); ++i) {
        const auto& group = m_categories[i].group;
        if (i > 0 && group == m_categories[i - 1].group)
            ++m_groups.back().count;
        else
            m_groups.push_back({i, 1, {}});
    }
    const bool areNamed = std::ranges::any_of(
        m_categories, [](const FigureCategory& category) { return !category.group.empty(); });
    if (!areNamed) {
        m_groups.clear();
        return;
    }
    for (auto& group : m_groups) {
        const double room = kAir * distance() * static_cast<double>(group.count);
        for (const auto& part : linesOf(m_categories[group.first].group)) {
            auto lines = broken(m_canvas, part, room);
            if (lines.empty())
                lines = {m_canvas.fitted(part, room)};
            group.lines.insert(group.lines.end(), lines.begin(), lines.end());
        }
        m_groupLines = std::max(m_groupLines, group.lines.size());
    }
}

double CategoryAxis::labelsHeight() const {
    return m_style == Style::Turned ? m_longest + m_canvas.gap()
                                    : static_cast<double>(m_lines) * m_canvas.lineHeight();
}

double CategoryAxis::height() const {
    const double groups = m_groups.empty()
        ? 0.0
        : 1.5 * m_canvas.gap() + static_cast<double>(m_groupLines) * m_canvas.lineHeight();
    return m_canvas.gap() + labelsHeight() + groups;
}

void CategoryAxis::draw(double left, double bottom) const {
    const double top = bottom + m_canvas.gap();
    const double line = m_canvas.lineHeight();
    for (std::size_t i = 0; i < m_categories.size(); i += m_step) {
        const double x = left + distance() * (static_cast<double>(i) + 0.5);
        if (m_style == Style::Turned) {
            m_canvas.text({x + 0.36 * m_canvas.size(), top}, m_labels[i].front(),
                m_canvas.theme.text, TextRole::Small, Align::Right, false, kTurned);
            continue;
        }
        double y = top + m_canvas.size();
        const auto lines = m_step > 1 ? std::vector{inOneLine(m_categories[i].label)} : m_labels[i];
        for (const auto& text : lines) {
            m_canvas.text({x, y}, text, m_canvas.theme.text, TextRole::Small, Align::Centre);
            y += line;
        }
    }
    if (!m_groups.empty())
        drawGroups(left, top + labelsHeight() + 0.5 * m_canvas.gap());
}

void CategoryAxis::drawGroups(double left, double top) const {
    for (const auto& group : m_groups) {
        const double from = left + distance() * static_cast<double>(group.first);
        const double to = from + distance() * static_cast<double>(group.count);
        const double inset = 0.08 * distance();
        m_canvas.line({from + inset, top}, {to - inset, top}, m_canvas.theme.textMuted);
        double y = top + 0.5 * m_canvas.gap() + m_canvas.size();
        for (const auto& text : group.lines) {
            m_canvas.note({(from + to) / 2.0, y}, text, Align::Centre);
            y += m_canvas.lineHeight();
        }
    }
}

double lineOf(const Canvas& canvas) {
    return canvas.lineHeight();
}

double wantedPlot(const Canvas& canvas, const FigureData& data) {
    return (data.panels.size() == 1 ? kSinglePlot : kStackedPlot) * lineOf(canvas);
}

// The widest margins of all panels, so that their plot areas begin and end in line.
PanelMargins commonMargins(const Canvas& canvas, const FigureData& data, double height) {
    PanelMargins widest;
    for (const auto& panel : data.panels) {
        const auto margins = marginsOf(canvas, panel, height);
        widest.left = std::max(widest.left, margins.left);
        widest.right = std::max(widest.right, margins.right);
    }
    return widest;
}

// The height of each plot area of panels below each other.
double stackedPlot(
    const Canvas& canvas, const FigureData& data, Rect area, const PanelMargins& margins) {
    const auto count = static_cast<double>(data.panels.size());
    const CategoryAxis axis(canvas, data.panels.front().categories,
        std::max(area.width - margins.left - margins.right, 1.0));
    const double heads = count * panelHead(canvas);
    return std::max(
        (area.height - axis.height() - heads) / count - canvas.gap(), kLeastPlot * lineOf(canvas));
}

// Higher plot areas have more ticks, whose labels may be wider, and wider labels make the axis of
// categories higher.
PanelMargins stackMargins(const Canvas& canvas, const FigureData& data, Rect area) {
    const auto at = [&](const PanelMargins& margins) {
        return commonMargins(canvas, data, stackedPlot(canvas, data, area, margins));
    };
    const PanelMargins first = at(commonMargins(canvas, data, wantedPlot(canvas, data)));
    const PanelMargins second = at(first);
    return {std::max(first.left, second.left), std::max(first.right, second.right)};
}

// Panels below each other with one axis of categories under the last.
void drawStacked(const Sheet& sheet, const FigureData& data, Rect area) {
    const PanelMargins margins = stackMargins(sheet, data, area);
    const double width = std::max(area.width - margins.left - margins.right, 1.0);
    const CategoryAxis axis(sheet, data.panels.front().categories, width);
    const double plot = stackedPlot(sheet, data, area, margins);
    double y = area.y;
    for (std::size_t i = 0; i < data.panels.size(); ++i) {
        y += panelHead(sheet);
        drawPanel(sheet, data, data.panels[i], {area.x + margins.left, y, width, plot});
        y += plot + sheet.gap();
    }
    axis.draw(area.x + margins.left, y - sheet.gap());
}

} // namespace

double panelsHeight(const Canvas& canvas, const FigureData& data, double width) {
    const double legend = drawChartLegend(canvas, data, {0.0, 0.0}, width, false);
    const double plot = wantedPlot(canvas, data);
    const auto count = static_cast<double>(data.panels.size());
    const auto margins = commonMargins(canvas, data, plot);
    const CategoryAxis axis(canvas, data.panels.front().categories,
        std::max(width - margins.left - margins.right, 1.0));
    return legend + count * (panelHead(canvas) + plot + canvas.gap()) + axis.height();
}

void drawPanels(const Sheet& sheet, const FigureData& data, Rect area) {
    const double legend = drawChartLegend(sheet, data, {area.x, area.y}, area.width, true);
    area.y += legend;
    area.height = std::max(area.height - legend, 1.0);
    drawStacked(sheet, data, area);
}

} // namespace trainscope::plot
