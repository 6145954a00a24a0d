#include "core/plot/Palette.h"
#include "core/plot/figures/FigureFoot.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/ScheduleFigure.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

using layout::Schedule;
using layout::ScheduleTask;
using layout::TaskKind;

constexpr int kMostFootLines = 3;
constexpr double kPlannedShare = 0.3; // of a row's height, where both are shown
constexpr double kLightPlan = 0.45; // of the background over planned passes

Color taskColor(TaskKind kind, int chunk) {
    // Sky blue, orange and bluish green of the shared palette; later pieces are lighter.
    const std::size_t index = kind == TaskKind::Forward ? 1 : kind == TaskKind::Backward ? 0 : 2;
    constexpr double kLighter = 0.25;
    constexpr double kLightest = 0.6;
    return blend(seriesColor(index), rgb(0xffffff), std::min(kLightest, chunk * kLighter));
}

class ScheduleBuilder {
public:
    ScheduleBuilder(const ScheduleFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_style(style)
        , m_canvas{*style.theme, style.measure, m_geometry.scene} { }

    ScheduleGeometry build() {
        m_geometry.scene.width = m_style.width;
        m_geometry.scene.background = m_canvas.theme.window;
        const double pad = 2.0 * m_canvas.gap();
        const double width = std::max(1.0, m_style.width - 2.0 * pad);
        FigureFoot foot(m_canvas, width);
        if (m_style.caption && !m_data.isEmpty())
            foot.add(m_data.caption, m_data.notes);
        const double top = pad + headHeight();
        const double fixed = axisHeight() + legendHeight() + pad;
        m_geometry.preferredHeight
            = top + m_data.stageCount() * wantedRow() + fixed + foot.height();
        const double height = m_style.height > 0.0 ? m_style.height : m_geometry.preferredHeight;
        if (height < m_geometry.preferredHeight)
            foot.keepTo(kMostFootLines);
        const double below = fixed + foot.height();
        m_geometry.scene.height = height;
        if (m_data.isEmpty()) {
            drawEmptyText(m_canvas, m_data.emptyText, {pad, 0.0, width, height});
            return std::move(m_geometry);
        }
        const double names = m_canvas.width(fmt::format("stage {}", m_data.stageCount()));
        m_facts = m_canvas.width(factsHeading()) + 2.0 * m_canvas.gap();
        const double left = pad + names + 2.0 * m_canvas.gap();
        m_geometry.area = {left, top, std::max(1.0, pad + width - left - m_facts),
            std::max(1.0, height - top - below)};
        m_scale = m_geometry.area.width / (m_data.to - m_data.from);
        drawHead(pad, width);
        layRows();
        drawAxis();
        drawRows();
        drawLegend();
        foot.draw(pad, height - pad - foot.height());
        return std::move(m_geometry);
    }

private:
    [[nodiscard]] bool hasBoth() const { return m_data.traced && m_data.planned; }
    [[nodiscard]] double wantedRow() const {
        return hasBoth() ? 2.6 * m_canvas.size() : 2.0 * m_canvas.size();
    }
    [[nodiscard]] double headHeight() const {
        const double title = m_style.title ? titleHeight(m_canvas) : 0.0;
        return title + m_canvas.lineHeight() + m_canvas.gap();
    }
    [[nodiscard]] double axisHeight() const {
        return 2.0 * m_canvas.lineHeight() + 2.0 * m_canvas.gap();
    }
    [[nodiscard]] double legendHeight() const {
        return m_canvas.lineHeight() + 2.0 * m_canvas.gap();
    }
    [[nodiscard]] std::string factsHeading() const {
        return hasBoth() ? "bubbles (planned)" : "bubbles";
    }

    void drawHead(double pad, double width) const {
        if (m_style.title)
            drawTitle(m_canvas, m_data.title, {pad, pad}, width);
        m_canvas.note({m_geometry.area.right() + m_facts, m_geometry.area.y - m_canvas.gap()},
            factsHeading(), Align::Right);
    }

    [[nodiscard]] double xOf(double time) const {
        return m_geometry.area.x
            + std::clamp((time - m_data.from) * m_scale, 0.0, m_geometry.area.width);
    }

    void layRows() {
        const double rowHeight = m_geometry.area.height / m_data.stageCount();
        const double inset = rowHeight > 8.0 ? std::min(m_canvas.gap(), 0.15 * rowHeight) : 0.0;
        const auto every = static_cast<int>(labelStep(m_canvas.size(), rowHeight));
        for (int stage = 0; stage < m_data.stageCount(); ++stage) {
            const Rect row{m_geometry.area.x, m_geometry.area.y + stage * rowHeight,
                m_geometry.area.width, rowHeight - inset};
            m_geometry.rows.push_back(row);
            m_lanes.push_back(lanesOf(row));
            drawGround(m_lanes.back());
            if (stage % every == 0)
                drawRowTexts(stage, row);
        }
    }

    void drawRows() {
        if (m_data.traced)
            drawPasses(*m_data.traced, false);
        if (m_data.planned)
            drawPasses(*m_data.planned, true);
        for (Label& label : m_numbers)
            m_geometry.scene.items.emplace_back(std::move(label));
    }

    struct Lanes {
        Rect traced;
        Rect planned;
    };
    [[nodiscard]] Lanes lanesOf(const Rect& row) const {
        if (!hasBoth())
            return {row, row};
        const double planned = std::floor(kPlannedShare * row.height);
        const double gap = row.height > 10.0 ? 1.0 : 0.0;
        return {{row.x, row.y, row.width, row.height - planned - gap},
            {row.x, row.bottom() - planned, row.width, planned}};
    }

    // Ground where a pass could run; the part that passes leave free is a bubble.
    void drawGround(const Lanes& lanes) {
        const double from = m_data.traced ? xOf(m_data.windowFrom) : xOf(0.0);
        const double to = m_data.traced ? xOf(m_data.windowTo) : xOf(m_data.planned->makespan);
        m_canvas.fill(lanes.traced, m_canvas.theme.panel);
        m_geometry.grounds.push_back({from, lanes.traced.y, to - from, lanes.traced.height});
        m_canvas.hatch(m_geometry.grounds.back(), m_canvas.theme.gap);
        if (hasBoth())
            m_canvas.fill(lanes.planned, m_canvas.theme.panel);
    }

    void drawRowTexts(int stage, const Rect& row) const {
        const double baseline = m_canvas.centred(row);
        m_canvas.note({m_geometry.area.x - m_canvas.gap(), baseline},
            fmt::format("stage {}", stage), Align::Right);
        const auto& facts = m_data.stages[static_cast<std::size_t>(stage)];
        const std::string text = hasBoth()
            ? fmt::format(
                "{} ({})", text::percent(facts.tracedBubble), text::percent(facts.plannedBubble))
            : text::percent(m_data.traced ? facts.tracedBubble : facts.plannedBubble);
        m_canvas.text({m_geometry.area.right() + m_facts, baseline}, text, m_canvas.theme.text,
            TextRole::Small, Align::Right);
    }

    void drawPasses(const Schedule& schedule, bool isPlanned) {
        std::vector<Bars> rows;
        for (const Lanes& lanes : m_lanes)
            rows.push_back(Bars{isPlanned ? lanes.planned : lanes.traced, {}});
        for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
            const ScheduleTask& task = schedule.tasks[i];
            if (task.end <= m_data.from || task.start >= m_data.to)
                continue;
            addPass(rows[static_cast<std::size_t>(task.stage)], task, i, isPlanned);
        }
        for (Bars& row : rows) {
            if (!row.bars.empty())
                m_geometry.scene.items.emplace_back(std::move(row));
        }
    }

    void addPass(Bars& row, const ScheduleTask& task, std::size_t index, bool isPlanned) {
        const Rect rect{
            xOf(task.start), row.area.y, xOf(task.end) - xOf(task.start), row.area.height};
        Color color = taskColor(task.kind, task.chunk);
        if (isPlanned && hasBoth())
            color = blend(color, m_canvas.theme.panel, kLightPlan);
        if (rect.width >= 1.0)
            m_geometry.targets.push_back({rect, isPlanned, index});
        const bool joins
            = rect.width < 1.0 && !row.bars.empty() && rect.right() - row.bars.back().left < 1.0;
        if (joins) {
            row.bars.back().right = std::max(row.bars.back().right, rect.right());
            return;
        }
        const double gap = rect.width > 4.0 ? 0.75 : 0.0; // neighbours stay apart
        row.bars.push_back({rect.x, std::max(rect.x, rect.right() - gap), color});
        if (task.microbatch < 0 || (isPlanned && hasBoth()))
            return;
        const std::string text = std::to_string(task.microbatch);
        if (rect.width >= m_canvas.width(text) + m_canvas.gap()
            && rect.height >= m_canvas.size() + 1.0)
            m_numbers.push_back(Label{{rect.x + rect.width / 2.0, m_canvas.centred(rect)}, text,
                readableOn(color), TextRole::Small, Align::Centre, false, 0.0});
    }

    void drawAxis() const {
        FigureAxis axis;
        const bool isTime = m_data.traced || m_data.unit == "s";
        axis.siUnit = isTime ? "s" : "";
        axis.title = isTime ? "Time since the step's first pass" : "Time in " + m_data.unit;
        axis.unit
            = isTime ? text::shownUnit("s", std::max(m_data.from, m_data.to)) : text::ShownUnit{};
        axis.range = {m_data.from, m_data.to};
        const Rect& area = m_geometry.area;
        const double y = area.bottom() + m_canvas.gap() + m_canvas.size();
        const double distance = 4.0 * m_canvas.size(); // of ticks
        const int most = std::max(2, static_cast<int>(area.width / distance));
        for (const FigureTick& tick : ticksOf(axis, most)) {
            const double x = xOf(tick.value);
            m_canvas.line({x, area.y}, {x, area.bottom()}, m_canvas.theme.grid);
            m_canvas.note({x, y}, tick.label, Align::Centre);
        }
        m_canvas.note(
            {area.x + area.width / 2.0, y + m_canvas.lineHeight()}, axisTitle(axis), Align::Centre);
    }

    [[nodiscard]] std::string plannedText() const {
        const bool isOther = !m_data.isKnownOrder || m_data.planned->kind != m_data.traced->kind;
        return isOther ? fmt::format("planned: {}", titleOf(m_data.planned->kind)) : "planned";
    }

    void drawLegend() const {
        const Rect& area = m_geometry.area;
        const double side = m_canvas.size();
        const double gap = m_canvas.gap();
        LegendFlow flow(m_canvas,
            {side, gap, 3.0 * gap, 0.0, 0.5 * side, m_canvas.theme.textSecondary},
            {area.x, area.bottom() + axisHeight() + gap}, m_style.width);
        const auto entry = [&](const std::string& text, Color color, bool isHatched) {
            flow.add(text, [&](Point left) {
                const Rect box{left.x, left.y - side / 2.0, side, side};
                m_canvas.fill(box, color);
                if (isHatched)
                    m_canvas.hatch(box);
            });
        };
        const Schedule& shown = m_data.traced ? *m_data.traced : *m_data.planned;
        entry("forward", taskColor(TaskKind::Forward, 0), false);
        entry("backward", taskColor(TaskKind::Backward, 0), false);
        const bool hasWeights = std::any_of(shown.tasks.begin(), shown.tasks.end(),
            [](const ScheduleTask& task) { return task.kind == TaskKind::WeightGradient; });
        if (hasWeights || (m_data.planned && splitsBackward(m_data.planned->kind)))
            entry("weight gradient", taskColor(TaskKind::WeightGradient, 0), false);
        if (shown.virtualStages > 1 || (m_data.planned && m_data.planned->virtualStages > 1))
            entry("later pieces", taskColor(TaskKind::Forward, 1), false);
        if (hasBoth())
            entry(plannedText(),
                blend(taskColor(TaskKind::Backward, 0), m_canvas.theme.panel, kLightPlan), false);
        entry("bubble", m_canvas.theme.panel, true);
    }

    const ScheduleFigureData& m_data;
    const FigureStyle& m_style;
    ScheduleGeometry m_geometry;
    Canvas m_canvas;
    double m_facts = 0.0; // width of the bubbles' column
    double m_scale = 0.0;
    std::vector<Lanes> m_lanes;
    std::vector<Label> m_numbers;
};

void addRows(std::string& csv, const ScheduleFigureData& data, const Schedule& schedule,
    std::string_view series) {
    const auto known = [](int number) { return number < 0 ? text::Cell() : text::Cell(number); };
    for (const auto& task : schedule.tasks) {
        const auto stage = static_cast<std::size_t>(task.stage);
        const int rank = stage < data.stages.size() ? data.stages[stage].rank : -1;
        text::addCsvLine(csv,
            {data.run, series, task.stage, known(rank), task.chunk, known(task.microbatch),
                toString(task.kind), task.start, task.end});
    }
}

} // namespace

ScheduleGeometry buildScheduleFigure(const ScheduleFigureData& data, const FigureStyle& style) {
    return ScheduleBuilder(data, style).build();
}

int ScheduleFigureData::stageCount() const {
    return traced ? traced->stages : planned ? planned->stages : 0;
}

std::string_view ScheduleFigureData::kindTitle() const {
    if (!traced)
        return titleOf(planned->kind);
    return isKnownOrder ? titleOf(traced->kind) : "Order of no known schedule";
}

std::string scheduleCsv(const ScheduleFigureData& data) {
    const std::string unit = data.traced ? "s" : text::csvCell(data.unit);
    std::string csv = fmt::format(
        "run,series,stage,rank,chunk,microbatch,kind,start ({}),end ({})\n", unit, unit);
    if (data.traced)
        addRows(csv, data, *data.traced, "traced");
    if (data.planned)
        addRows(csv, data, *data.planned, "planned");
    return csv;
}

} // namespace trainscope::plot
