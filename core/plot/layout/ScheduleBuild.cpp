#include "core/plot/Palette.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/ScheduleFigure.h"
#include "core/text/NumberMarks.h"
#include "core/text/Table.h"

#include <cmath>

namespace trainscope::plot {

namespace {

using layout::Schedule;
using layout::ScheduleTask;
using layout::TaskKind;

constexpr int kMostFootLines = 3;
constexpr double kPlannedShare = 0.3; // share of a row's height, if both are shown
constexpr double kLightPlan = 0.45; // share of the background mixed into planned passes

Color taskColor(TaskKind kind, int chunk) {
    // Sky blue, orange and bluish green of the shared palette; later pieces are lighter.
    const std::size_t index = kind == TaskKind::Forward ? 1 : kind == TaskKind::Backward ? 0 : 2;
    constexpr double kLighter = 0.25;
    constexpr double kLightest = 0.6;
    return blend(seriesColor(index), rgb(0xffffff), std::min(kLightest, chunk * kLighter));
}

struct Bubble {
    int stage = 0;
    double from = 0.0;
    double to = 0.0;
};

std::string_view wordOf(TaskKind kind, bool isSplit) {
    switch (kind) {
    case TaskKind::Forward:
        return "forward";
    case TaskKind::Backward:
        return isSplit ? "backward (gradient of the inputs)" : "backward";
    case TaskKind::WeightGradient:
        return "gradient of the weights";
    }
    return "";
}

bool isSplit(const Schedule& schedule) {
    return std::ranges::any_of(schedule.tasks,
        [](const ScheduleTask& task) { return task.kind == TaskKind::WeightGradient; });
}

// The passes; without a trace the plan.
const Schedule& mainOf(const ScheduleFigureData& data) {
    return data.traced ? data.traced->traced : *data.plan;
}

std::string momentText(const ScheduleFigureData& data, double time) {
    return data.isTimed() ? text::quantity(time, "s") : fmt::format("{:g}", text::worded(time));
}

void addBubbleShares(const ScheduleFigureData& data, int stage, Hit& hit) {
    const auto own = data.bubbleOf(stage);
    if (own.traced)
        hit.facts.emplace_back("bubbles of the stage", text::percent(*own.traced));
    if (own.planned)
        hit.facts.emplace_back(
            own.traced ? "planned" : "bubbles of the stage", text::percent(*own.planned));
}

void tellPass(const ScheduleFigureData& data, bool isPlanned, std::size_t index, Hit& hit) {
    const Schedule& schedule = isPlanned ? *data.planned() : *data.passes();
    const ScheduleTask& task = schedule.tasks[index];
    hit.title = fmt::format("stage {} · {}{}{}{}", task.stage, wordOf(task.kind, isSplit(schedule)),
        task.microbatch >= 0 ? fmt::format(" of micro-batch {}", task.microbatch) : "",
        schedule.virtualStages > 1 ? fmt::format(", piece {}", task.chunk) : "",
        isPlanned ? ", planned" : "");
    hit.facts = {{"begins", momentText(data, task.start)}, {"ends", momentText(data, task.end)},
        {"takes", momentText(data, task.end - task.start)}};
    addBubbleShares(data, task.stage, hit);
}

// Time in which bubbles are measured.
ValueRange windowOf(const ScheduleFigureData& data) {
    return data.traced ? ValueRange{data.traced->windowFrom, data.traced->windowTo}
                       : ValueRange{0.0, data.plan->makespan};
}

void tellBubble(const ScheduleFigureData& data, const Bubble& bubble, Hit& hit) {
    const ValueRange window = windowOf(data);
    hit.title = fmt::format("stage {} · bubble: no pass runs", bubble.stage);
    hit.facts = {{"begins", momentText(data, bubble.from)}, {"ends", momentText(data, bubble.to)},
        {"takes", momentText(data, bubble.to - bubble.from)},
        {data.traced ? "of the time shown" : "of the step",
            text::percent((bubble.to - bubble.from) / (window.high - window.low))}};
    addBubbleShares(data, bubble.stage, hit);
}

// Time without a pass of the schedule, by stage and in order.
std::vector<Bubble> bubblesOf(const Schedule& schedule, double from, double to) {
    std::vector<std::vector<std::pair<double, double>>> busy(
        static_cast<std::size_t>(schedule.stages));
    for (const ScheduleTask& task : schedule.tasks)
        busy[static_cast<std::size_t>(task.stage)].emplace_back(task.start, task.end);
    std::vector<Bubble> bubbles;
    for (std::size_t stage = 0; stage < busy.size(); ++stage) {
        std::ranges::sort(busy[stage]);
        busy[stage].emplace_back(to, to);
        double free = from;
        for (const auto& [begin, end] : busy[stage]) {
            if (std::min(begin, to) > free)
                bubbles.push_back({static_cast<int>(stage), free, std::min(begin, to)});
            free = std::max(free, end);
        }
    }
    return bubbles;
}

class ScheduleBuilder {
public:
    ScheduleBuilder(const ScheduleFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style) { }

    Picture build() {
        if (m_data.isEmpty()) {
            m_sheet.drawEmpty(m_data);
            return std::move(m_picture);
        }
        const double below = axisHeight() + legendHeight();
        const Rect room = m_sheet.open(
            m_data, headHeight() + m_data.stageCount() * wantedRow() + below, kMostFootLines);
        const double names = m_sheet.width(fmt::format("stage {}", m_data.stageCount()));
        m_facts = m_sheet.width(factsHeading()) + 2.0 * m_sheet.gap();
        const double left = room.x + names + 2.0 * m_sheet.gap();
        m_area = {left, room.y + headHeight(), std::max(1.0, room.right() - left - m_facts),
            std::max(1.0, room.height - headHeight() - below)};
        m_scale = m_area.width / (m_data.to - m_data.from);
        m_sheet.note(
            {m_area.right() + m_facts, m_area.y - m_sheet.gap()}, factsHeading(), Align::Right);
        layRows();
        drawAxis();
        drawRows();
        drawLegend();
        m_sheet.close();
        return std::move(m_picture);
    }

private:
    [[nodiscard]] bool hasBoth() const { return m_data.traced && m_data.traced->planned; }
    [[nodiscard]] double wantedRow() const {
        return hasBoth() ? 2.6 * m_sheet.size() : 2.0 * m_sheet.size();
    }
    [[nodiscard]] double headHeight() const { return m_sheet.lineHeight() + m_sheet.gap(); }
    [[nodiscard]] double axisHeight() const {
        return 2.0 * m_sheet.lineHeight() + 2.0 * m_sheet.gap();
    }
    [[nodiscard]] double legendHeight() const { return m_sheet.lineHeight() + 2.0 * m_sheet.gap(); }
    [[nodiscard]] std::string factsHeading() const {
        return hasBoth() ? "bubbles (planned)" : "bubbles";
    }

    [[nodiscard]] double xOf(double time) const {
        return m_area.x + std::clamp((time - m_data.from) * m_scale, 0.0, m_area.width);
    }

    void layRows() {
        const double rowHeight = m_area.height / m_data.stageCount();
        const double inset = rowHeight > 8.0 ? std::min(m_sheet.gap(), 0.15 * rowHeight) : 0.0;
        const auto every = static_cast<int>(labelStep(m_sheet.size(), rowHeight));
        for (int stage = 0; stage < m_data.stageCount(); ++stage) {
            const Rect row{m_area.x, m_area.y + stage * rowHeight, m_area.width, rowHeight - inset};
            m_picture.areas.push_back(row);
            m_lanes.push_back(lanesOf(row));
            drawGround(m_lanes.back());
            if (stage % every == 0)
                drawRowTexts(stage, row);
        }
    }

    void drawRows() {
        addBubbles();
        if (const Schedule* passes = m_data.passes())
            drawPasses(*passes, false);
        if (const Schedule* planned = m_data.planned())
            drawPasses(*planned, true);
        for (Label& label : m_numbers)
            m_picture.scene.items.emplace_back(std::move(label));
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
        const ValueRange window = windowOf(m_data);
        const double from = xOf(window.low);
        const double to = xOf(window.high);
        m_sheet.fill(lanes.traced, m_sheet.theme.panel);
        m_sheet.hatch({from, lanes.traced.y, to - from, lanes.traced.height}, m_sheet.theme.gap);
        if (hasBoth())
            m_sheet.fill(lanes.planned, m_sheet.theme.panel);
    }

    [[nodiscard]] Shown shownBy(int stage) const {
        Shown shown{m_data.query.run, {}, stage};
        if (const int rank = m_data.bubbleOf(stage).rank; rank >= 0)
            shown.rank = rank;
        shown.isOwn = false;
        return shown;
    }

    // In the lane of the passes; of the plan where there is no trace.
    void addBubbles() const {
        const ValueRange window = windowOf(m_data);
        const auto bubbles = bubblesOf(mainOf(m_data), window.low, window.high);
        for (const Bubble& bubble : bubbles) {
            const Rect& lane = m_lanes[static_cast<std::size_t>(bubble.stage)].traced;
            const double left = xOf(bubble.from);
            const Rect rect{left, lane.y, xOf(bubble.to) - left, lane.height};
            if (rect.width >= 1.0)
                m_sheet.target(rect, shownBy(bubble.stage),
                    [&data = m_data, bubble](Hit& hit) { tellBubble(data, bubble, hit); });
        }
    }

    void drawRowTexts(int stage, const Rect& row) const {
        const double baseline = m_sheet.centred(row);
        m_sheet.note(
            {m_area.x - m_sheet.gap(), baseline}, fmt::format("stage {}", stage), Align::Right);
        const auto facts = m_data.bubbleOf(stage);
        const std::string text = hasBoth()
            ? fmt::format("{} ({})", text::percent(facts.traced), text::percent(facts.planned))
            : text::percent(m_data.traced ? facts.traced : facts.planned);
        m_sheet.text({m_area.right() + m_facts, baseline}, text, m_sheet.theme.text,
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
                m_picture.scene.items.emplace_back(std::move(row));
        }
    }

    void addPass(Bars& row, const ScheduleTask& task, std::size_t index, bool isPlanned) {
        const Rect rect{
            xOf(task.start), row.area.y, xOf(task.end) - xOf(task.start), row.area.height};
        Color color = taskColor(task.kind, task.chunk);
        if (isPlanned && hasBoth())
            color = blend(color, m_sheet.theme.panel, kLightPlan);
        if (rect.width >= 1.0)
            m_sheet.target(rect, shownBy(task.stage), [&data = m_data, isPlanned, index](Hit& hit) {
                tellPass(data, isPlanned, index, hit);
            });
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
        if (rect.width >= m_sheet.width(text) + m_sheet.gap()
            && rect.height >= m_sheet.size() + 1.0)
            m_numbers.push_back(Label{{rect.x + rect.width / 2.0, m_sheet.centred(rect)}, text,
                readableOn(color), TextRole::Small, Align::Centre, false, 0.0});
    }

    void drawAxis() const {
        FigureAxis axis;
        const bool isTime = m_data.isTimed();
        axis.siUnit = isTime ? "s" : "";
        axis.title = isTime ? "Time since the step's first pass" : "Time in " + m_data.unit;
        axis.unit
            = isTime ? text::shownUnit("s", std::max(m_data.from, m_data.to)) : text::ShownUnit{};
        axis.range = {m_data.from, m_data.to};
        const Rect& area = m_area;
        const double y = area.bottom() + m_sheet.gap() + m_sheet.size();
        const double distance = 4.0 * m_sheet.size(); // least distance between ticks
        const int most = std::max(2, static_cast<int>(area.width / distance));
        for (const ValueTick& tick : ticksOf(axis, most)) {
            const double x = xOf(tick.value);
            m_sheet.line({x, area.y}, {x, area.bottom()}, m_sheet.theme.grid);
            m_sheet.note({x, y}, tick.label, Align::Centre);
        }
        m_sheet.note(
            {area.x + area.width / 2.0, y + m_sheet.lineHeight()}, axisTitle(axis), Align::Centre);
    }

    [[nodiscard]] std::string plannedText() const {
        const auto& [passes, plan] = std::tie(m_data.traced->traced, *m_data.traced->planned);
        const bool isOther = !m_data.traced->isKnownOrder || plan.kind != passes.kind;
        return isOther ? fmt::format("planned: {}", titleOf(plan.kind)) : "planned";
    }

    void drawLegend() const {
        const Rect& area = m_area;
        const double side = m_sheet.size();
        const double gap = m_sheet.gap();
        LegendFlow flow(m_sheet,
            {side, gap, 3.0 * gap, 0.0, 0.5 * side, m_sheet.theme.textSecondary},
            {area.x, area.bottom() + axisHeight() + gap}, m_sheet.style.width);
        const auto entry = [&](const std::string& text, Color color, bool isHatched) {
            flow.add(text, [&](Point left) {
                const Rect box{left.x, left.y - side / 2.0, side, side};
                m_sheet.fill(box, color);
                if (isHatched)
                    m_sheet.hatch(box);
            });
        };
        const Schedule& shown = mainOf(m_data);
        const Schedule* planned = m_data.planned();
        entry("forward", taskColor(TaskKind::Forward, 0), false);
        entry("backward", taskColor(TaskKind::Backward, 0), false);
        if (isSplit(shown) || (planned != nullptr && splitsBackward(planned->kind)))
            entry("weight gradient", taskColor(TaskKind::WeightGradient, 0), false);
        if (shown.virtualStages > 1 || (planned != nullptr && planned->virtualStages > 1))
            entry("later pieces", taskColor(TaskKind::Forward, 1), false);
        if (hasBoth())
            entry(plannedText(),
                blend(taskColor(TaskKind::Backward, 0), m_sheet.theme.panel, kLightPlan), false);
        entry("bubble", m_sheet.theme.panel, true);
    }

    const ScheduleFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    Rect m_area; // all rows, time from left to right
    double m_facts = 0.0; // width of the bubbles' column
    double m_scale = 0.0;
    std::vector<Lanes> m_lanes;
    std::vector<Label> m_numbers;
};

void addRows(std::string& csv, const ScheduleFigureData& data, const Schedule& schedule,
    std::string_view series) {
    const auto known = [](int number) { return number < 0 ? text::Cell() : text::Cell(number); };
    for (const auto& task : schedule.tasks) {
        const int rank = data.bubbleOf(task.stage).rank;
        text::addCsvLine(csv,
            {data.run, series, task.stage, known(rank), task.chunk, known(task.microbatch),
                toString(task.kind), task.start, task.end});
    }
}

} // namespace

Picture buildScheduleFigure(const ScheduleFigureData& data, const FigureStyle& style) {
    return ScheduleBuilder(data, style).build();
}

const Schedule* ScheduleFigureData::passes() const {
    return traced ? &traced->traced : nullptr;
}

const Schedule* ScheduleFigureData::planned() const {
    const auto& known = traced ? traced->planned : plan;
    return known ? &*known : nullptr;
}

int ScheduleFigureData::stageCount() const {
    return isEmpty() ? 0 : mainOf(*this).stages;
}

analysis::StageBubble ScheduleFigureData::bubbleOf(int stage) const {
    const auto at = static_cast<std::size_t>(stage);
    if (traced)
        return at < traced->stages.size() ? traced->stages[at] : analysis::StageBubble();
    return {-1, std::nullopt,
        at < plan->stageBubble.size() ? std::optional(plan->stageBubble[at]) : std::nullopt};
}

std::optional<double> ScheduleFigureData::plannedBubble() const {
    return traced ? traced->plannedBubble : std::optional(plan->bubbleFraction);
}

std::string_view ScheduleFigureData::kindTitle() const {
    if (!traced)
        return titleOf(plan->kind);
    return traced->isKnownOrder ? titleOf(traced->traced.kind) : "Order of no known schedule";
}

std::string scheduleCsv(const ScheduleFigureData& data) {
    const std::string unit = text::csvCell(data.unit);
    std::string csv = fmt::format(
        "run,series,stage,rank,chunk,microbatch,kind,start ({}),end ({})\n", unit, unit);
    if (const Schedule* passes = data.passes())
        addRows(csv, data, *passes, "traced");
    if (const Schedule* planned = data.planned())
        addRows(csv, data, *planned, "planned");
    return csv;
}

} // namespace trainscope::plot
