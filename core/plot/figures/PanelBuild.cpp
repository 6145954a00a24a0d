#include "core/plot/figures/PanelBuild.h"

#include "core/plot/Palette.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

constexpr double kBars = 0.72; // share of a category's width
constexpr double kWidestBar = 12.0; // sizes of text; a bar that stands alone is no wall
constexpr double kTickDistance = 1.7; // in sizes of the text

void tellValue(const FigureData& data, const FigurePanel& panel, const FigureSet& set,
    std::size_t index, Hit& hit) {
    const FigureCategory& category = panel.categories[index];
    if (category.run)
        hit.title = data.runs[*category.run].name;
    if (category.stage)
        hit.title += fmt::format(" · stage {}", *category.stage);
    if (category.rank)
        hit.title += fmt::format(" · rank {}", *category.rank);
    if (hit.title.empty())
        hit.title = category.label;
    const FigureAxis& axis
        = set.role == SetRole::Efficiency && panel.right ? *panel.right : panel.left;
    const bool isStack = set.role == SetRole::KernelCategory;
    const std::string label = isStack ? set.name
        : set.role == SetRole::Single ? axis.title
                                      : fmt::format("{}, {}", axis.title, set.name);
    const bool isShare = axis.metric.empty() && axis.siUnit == "1" && axis.unit.scale == 100.0;
    hit.facts.emplace_back(label,
        isShare ? text::percent(set.values[index].value_or(0.0))
                : valueText(axis, set.values[index])
                + (axis.siUnit == "1" && !axis.unit.unit.empty() ? " " + axis.unit.unit : ""));
}

class PanelDrawing {
public:
    PanelDrawing(const Sheet& sheet, const FigureData& data, const FigurePanel& panel, Rect plot)
        : m_sheet(sheet)
        , m_data(data)
        , m_panel(panel)
        , m_plot(plot)
        , m_ticks(mostTicks(sheet, plot.height)) { }

    void draw() const {
        drawChart();
        drawTicks(m_panel.left, m_plot.x - m_sheet.gap(), Align::Right);
        if (m_panel.right)
            drawTicks(*m_panel.right, m_plot.right() + m_sheet.gap(), Align::Left);
        drawTitles();
        drawGroupBorders();
        addTargets();
        drawMissing();
    }

private:
    [[nodiscard]] std::size_t count() const { return m_panel.categories.size(); }
    [[nodiscard]] double distance() const {
        return m_plot.width / static_cast<double>(std::max<std::size_t>(count(), 1));
    }
    [[nodiscard]] double xOf(double category) const {
        return m_plot.x + distance() * (category + 0.5);
    }
    [[nodiscard]] double yOf(const FigureAxis& axis, double value) const {
        return m_plot.bottom() - m_plot.height * fractionOf(axis, value);
    }
    static bool isBar(const FigureSet& set) { return set.role < SetRole::Efficiency; }
    [[nodiscard]] bool isStacked() const {
        return std::ranges::any_of(
            m_panel.sets, [](const FigureSet& set) { return set.role == SetRole::KernelCategory; });
    }
    [[nodiscard]] std::size_t barSets() const {
        return static_cast<std::size_t>(std::ranges::count_if(m_panel.sets, isBar));
    }

    // The share of a category's width that its bars take.
    [[nodiscard]] double barShare() const {
        const double sets = isStacked() ? 1.0 : static_cast<double>(barSets());
        return std::min(kBars, kWidestBar * m_sheet.size() * sets / std::max(distance(), 1.0));
    }

    void drawChart() const {
        Chart chart;
        chart.area = m_plot;
        chart.x = {-0.5, static_cast<double>(count()) - 0.5, false, 0.0, 0.0};
        chart.left = chartAxis(m_panel.left, m_ticks, true);
        if (m_panel.right)
            chart.right = chartAxis(*m_panel.right, m_ticks, false);
        chart.bars.stacked = isStacked();
        chart.bars.width = barShare();
        for (const auto& set : m_panel.sets) {
            if (isBar(set))
                addBars(set, chart);
            else
                addPoints(set, chart);
        }
        addChart(m_sheet, std::move(chart));
    }

    void addBars(const FigureSet& set, Chart& chart) const {
        chart.bars.colors.push_back(lookOf(set, m_sheet.theme).fill);
        std::vector<double> values;
        for (const auto& value : set.values)
            values.push_back(value.value_or(0.0) * m_panel.left.unit.scale);
        chart.bars.values.push_back(std::move(values));
    }

    // Points of a group are joined; a missing one breaks the line.
    void addPoints(const FigureSet& set, Chart& chart) const {
        const FigureAxis& axis = m_panel.right ? *m_panel.right : m_panel.left;
        ChartCurve curve;
        curve.color = lookOf(set, m_sheet.theme).fill;
        curve.width = 2.0 * m_sheet.theme.lineWidth;
        curve.marker = 0.6 * m_sheet.size();
        curve.onRight = m_panel.right.has_value();
        const auto finish = [&] {
            if (!curve.points.empty())
                chart.curves.push_back(curve);
            curve.points.clear();
        };
        for (std::size_t i = 0; i < count(); ++i) {
            const auto& categories = m_panel.categories;
            if (i > 0 && categories[i].group != categories[i - 1].group)
                finish();
            if (set.values[i])
                curve.points.push_back({static_cast<double>(i), *set.values[i] * axis.unit.scale});
            else
                finish();
        }
        finish();
    }

    void drawTicks(const FigureAxis& axis, double x, Align align) const {
        for (const auto& tick : ticksOf(axis, m_ticks))
            m_sheet.note({x, m_sheet.centred(yOf(axis, tick.value))}, tick.label, align);
    }

    void drawTitles() const {
        const double y = m_plot.y - 2.5 * m_sheet.gap();
        const std::string right = m_panel.right ? axisTitle(*m_panel.right) : std::string();
        const double rightWidth = right.empty() ? 0.0 : m_sheet.width(right);
        const double edge = m_sheet.scene.width - 2.0 * m_sheet.gap();
        const double rightEnd = std::min(m_plot.right() + m_sheet.gap() * 8.0, edge);
        const double from = m_plot.x - 0.5 * m_sheet.gap();
        const double room = m_plot.right() - from - (right.empty() ? 0.0 : rightWidth);
        m_sheet.heading({from, y}, axisTitle(m_panel.left), room, TextRole::Small);
        m_sheet.note({rightEnd, y}, right, Align::Right);
    }

    void drawGroupBorders() const {
        for (std::size_t i = 1; i < count(); ++i) {
            if (m_panel.categories[i].group == m_panel.categories[i - 1].group)
                continue;
            const double x = xOf(static_cast<double>(i) - 0.5);
            m_sheet.line({x, m_plot.y}, {x, m_plot.bottom()}, m_sheet.theme.line);
        }
    }

    void addTarget(Rect rect, std::size_t set, std::size_t index) const {
        const FigureCategory& category = m_panel.categories[index];
        const RunId run = category.run ? m_data.runs[*category.run].id : RunId();
        m_sheet.target(rect, {run, category.rank, category.stage},
            [&data = m_data, &panel = m_panel, &of = m_panel.sets[set], index](
                Hit& hit) { tellValue(data, panel, of, index, hit); });
    }

    // The same places that Qt Charts gives the bars: sets side by side in barShare() of the
    // category.
    void addTargets() const {
        const double all = barShare() * distance();
        const double width = all / std::max(1.0, static_cast<double>(isStacked() ? 1 : barSets()));
        std::vector<double> stacked(count(), 0.0);
        std::size_t bar = 0;
        for (std::size_t set = 0; set < m_panel.sets.size(); ++set) {
            if (!isBar(m_panel.sets[set])) {
                addPointTargets(set);
                continue;
            }
            for (std::size_t i = 0; i < count(); ++i) {
                const auto& value = m_panel.sets[set].values[i];
                if (!value || *value == 0.0)
                    continue;
                const double from = isStacked() ? stacked[i] : 0.0;
                stacked[i] += *value;
                const double x = xOf(static_cast<double>(i)) - all / 2.0
                    + (isStacked() ? 0.0 : width * static_cast<double>(bar));
                addBarTarget(set, i, x, width, {from, from + *value});
            }
            ++bar;
        }
    }

    void addBarTarget(
        std::size_t set, std::size_t category, double x, double width, ValueRange values) const {
        const double top = yOf(m_panel.left, std::max(values.low, values.high));
        const double bottom = yOf(m_panel.left, std::min(values.low, values.high));
        const Rect rect{x, top, width, bottom - top};
        const SetLook look = lookOf(m_panel.sets[set], m_sheet.theme);
        if (look.hatched && rect.width > 2.0 * m_sheet.theme.lineWidth)
            m_sheet.hatch(rect, hatchOn(look.fill));
        addTarget(rect, set, category);
    }

    void addPointTargets(std::size_t set) const {
        const FigureAxis& axis = m_panel.right ? *m_panel.right : m_panel.left;
        const double size = 1.2 * m_sheet.size();
        for (std::size_t i = 0; i < count(); ++i) {
            if (const auto& value = m_panel.sets[set].values[i])
                addTarget({xOf(static_cast<double>(i)) - size / 2.0, yOf(axis, *value) - size / 2.0,
                              size, size},
                    set, i);
        }
    }

    // "OOM" in the place of bars; a dash where nothing is known.
    void drawMissing() const {
        for (std::size_t i = 0; i < count(); ++i) {
            const bool isOom = m_panel.categories[i].outOfMemory;
            const bool isKnown = std::ranges::any_of(m_panel.sets, [this, i](const FigureSet& set) {
                return (isBar(set) || barSets() == 0) && set.values[i];
            });
            if (isKnown && !isOom)
                continue;
            const std::string text = isOom ? "OOM" : "–";
            const Color color = isOom ? m_sheet.theme.warning : m_sheet.theme.textMuted;
            const double x = xOf(static_cast<double>(i));
            const double foot = m_plot.bottom() - m_sheet.gap();
            if (m_sheet.width(text, TextRole::Small, true) <= distance())
                m_sheet.text({x, foot}, text, color, TextRole::Small, Align::Centre, true);
            else
                m_sheet.text({x + 0.36 * m_sheet.size(), foot}, text, color, TextRole::Small,
                    Align::Left, true, -90.0);
        }
    }

    const Sheet& m_sheet;
    const FigureData& m_data;
    const FigurePanel& m_panel;
    Rect m_plot;
    int m_ticks;
};

// Indices of seriesColor().
constexpr std::size_t kBlue = 4;
constexpr std::size_t kSky = 0;
constexpr std::size_t kVermilion = 5;

// Reductions share a colour: those that scatter stay without hatch.
constexpr std::array<std::string_view, 5> kHatched{
    "all_reduce", "send_recv", "all_to_all", "communication", "normalisation"};

struct Entry {
    std::string text;
    SetLook look;
};

std::vector<Entry> entriesOf(const FigureData& data, const Theme& theme) {
    std::vector<Entry> entries;
    for (const auto& panel : data.panels) {
        for (const auto& set : panel.sets) {
            const bool known = std::ranges::any_of(
                entries, [&set](const Entry& entry) { return entry.text == set.name; });
            const bool isEmpty = std::ranges::none_of(
                set.values, [](const auto& value) { return value.has_value(); });
            if (!known && !isEmpty)
                entries.push_back({set.name, lookOf(set, theme)});
        }
    }
    return entries;
}

void drawSwatch(const Canvas& canvas, const SetLook& look, Point centre, double size) {
    if (look.isPoints) {
        const double dot = 0.55 * size;
        canvas.line({centre.x - size, centre.y}, {centre.x + size, centre.y}, look.fill,
            2.0 * canvas.theme.lineWidth);
        canvas.dot(centre, dot, look.fill);
        return;
    }
    const Rect rect{centre.x - size, centre.y - size / 2, 2.0 * size, size};
    canvas.fill(rect, look.fill);
    if (look.hatched)
        canvas.hatch(rect, hatchOn(look.fill));
}

} // namespace

int mostTicks(const Canvas& canvas, double height) {
    return std::clamp(static_cast<int>(height / (kTickDistance * canvas.size())), 2, 8);
}

void addChart(const Canvas& canvas, Chart chart) {
    const Rect area = chart.area;
    chart.grid = canvas.theme.grid;
    chart.lineWidth = canvas.theme.lineWidth;
    canvas.scene.items.emplace_back(std::move(chart));
    canvas.line({area.x, area.bottom()}, {area.right(), area.bottom()}, canvas.theme.textMuted);
}

ChartAxis chartAxis(const FigureAxis& axis, int most, bool grid) {
    ChartAxis result{
        axis.range.low * axis.unit.scale, axis.range.high * axis.unit.scale, axis.log, 0.0, 0.0};
    const auto ticks = ticksOf(axis, most);
    if (grid && ticks.size() > 1) {
        result.gridFrom = ticks.front().value * axis.unit.scale;
        result.gridStep = (ticks[1].value - ticks[0].value) * axis.unit.scale;
    }
    return result;
}

double ticksWidth(const Canvas& canvas, const FigureAxis& axis, double height) {
    double widest = 0.0;
    for (const auto& tick : ticksOf(axis, mostTicks(canvas, height)))
        widest = std::max(widest, canvas.width(tick.label));
    return widest + 1.5 * canvas.gap();
}

PanelMargins marginsOf(const Canvas& canvas, const FigurePanel& panel, double height) {
    return {ticksWidth(canvas, panel.left, height),
        panel.right ? ticksWidth(canvas, *panel.right, height) : canvas.gap()};
}

double panelHead(const Canvas& canvas) {
    return canvas.lineHeight() + 3.0 * canvas.gap();
}

void drawPanel(const Sheet& sheet, const FigureData& data, const FigurePanel& panel, Rect plot) {
    sheet.picture.areas.push_back(plot);
    PanelDrawing(sheet, data, panel, plot).draw();
}

SetLook lookOf(const FigureSet& set, const Theme& theme) {
    switch (set.role) {
    case SetRole::Peak:
        return {seriesColor(kSky), true, false};
    case SetRole::Efficiency:
        return {legibleOn(seriesColor(kVermilion), theme.window), false, true};
    case SetRole::Gpu:
        return {legibleOn(seriesColor(set.place), theme.window), false, true};
    case SetRole::KernelCategory: {
        const bool hatched = std::ranges::find(kHatched, set.key) != kHatched.end();
        return {categoryColor(set.key), hatched, false};
    }
    case SetRole::Mean:
    case SetRole::Single:
        break;
    }
    return {seriesColor(kBlue), false, false};
}

Color hatchOn(Color fill) {
    return blend(fill, readableOn(fill), 0.55);
}

double drawChartLegend(
    const Canvas& canvas, const FigureData& data, Point at, double width, bool draw) {
    const auto entries = entriesOf(data, canvas.theme);
    if (entries.size() < 2)
        return 0.0;
    const double small = canvas.size();
    const double size = 0.7 * small;
    LegendFlow flow(canvas,
        {2.2 * size, canvas.gap(), 1.5 * small, 1.5 * small, 0.5 * small, canvas.theme.text}, at,
        width, draw);
    for (const auto& entry : entries)
        flow.add(entry.text, [&](Point left) {
            drawSwatch(canvas, entry.look, {left.x + size, left.y}, size);
        });
    return flow.height() + canvas.gap();
}

} // namespace trainscope::plot
