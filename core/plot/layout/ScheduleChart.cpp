#include "core/plot/layout/ScheduleChart.h"

#include "core/plot/Palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

using layout::Schedule;
using layout::ScheduleTask;
using layout::TaskKind;

class ChartBuilder {
public:
    ChartBuilder(const Schedule& schedule, double from, double to, const DiagramStyle& style)
        : m_schedule(schedule)
        , m_from(to > from ? from : 0.0)
        , m_to(to > from ? to : schedule.makespan)
        , m_theme(*style.theme)
        , m_style(style) {
        const double step = m_theme.spacing;
        const double names
            = style.measure(fmt::format("stage {}", schedule.stages), TextRole::Small, false);
        m_area = {names + 2 * step, step, 0.0, 0.0};
        m_area.width = std::max(0.0, style.width - m_area.x - step);
        m_area.height = std::max(0.0, style.height - 2 * step);
        m_rowHeight = m_area.height / schedule.stages;
        m_scale = m_to > m_from ? m_area.width / (m_to - m_from) : 0.0;
    }

    ScheduleChart build() {
        ScheduleChart chart;
        chart.scene = {m_style.width, m_style.height, m_theme.window, {}};
        chart.area = m_area;
        for (int stage = 0; stage < m_schedule.stages; ++stage)
            addRow(chart.scene, stage);
        std::vector<Label> labels;
        for (std::size_t i = 0; i < m_schedule.tasks.size(); ++i)
            addTask(chart, labels, i);
        for (auto& row : m_rows)
            chart.scene.items.emplace_back(std::move(row));
        for (auto& label : labels)
            chart.scene.items.emplace_back(std::move(label));
        addNames(chart.scene);
        return chart;
    }

private:
    [[nodiscard]] double xOf(double time) const {
        return m_area.x + std::clamp((time - m_from) * m_scale, 0.0, m_area.width);
    }

    [[nodiscard]] Rect rowOf(int stage) const {
        const double inset = m_rowHeight > 6.0 ? 1.0 : 0.0;
        return {m_area.x, m_area.y + stage * m_rowHeight, m_area.width,
            std::max(0.0, m_rowHeight - inset)};
    }

    void addRow(PlotScene& scene, int stage) {
        scene.items.push_back(FillRect{rowOf(stage), m_theme.panel, 0.0, Hatch::None});
        m_rows.push_back(Bars{rowOf(stage), {}});
    }

    void addTask(ScheduleChart& chart, std::vector<Label>& labels, std::size_t index) {
        const ScheduleTask& task = m_schedule.tasks[index];
        if (task.end <= m_from || task.start >= m_to)
            return;
        const Rect row = rowOf(task.stage);
        Rect rect{xOf(task.start), row.y, xOf(task.end) - xOf(task.start), row.height};
        chart.tasks.push_back(index);
        chart.bars.push_back(rect);
        const Color color = taskColor(task.kind, task.chunk);
        auto& bars = m_rows[static_cast<std::size_t>(task.stage)].bars;
        const bool isNarrow = rect.width < 1.0;
        const bool joins = isNarrow && !bars.empty() && rect.right() - bars.back().left < 1.0;
        if (joins) {
            bars.back().right = std::max(bars.back().right, rect.right());
            return;
        }
        // Neighbours of one colour stay apart where there is room.
        const double gap = rect.width > 4.0 ? 1.0 : 0.0;
        bars.push_back({rect.x, rect.right() - gap, color});
        addNumber(labels, task, rect, color);
    }

    void addNumber(
        std::vector<Label>& labels, const ScheduleTask& task, const Rect& rect, Color color) const {
        const std::string text = std::to_string(task.microbatch);
        const double room = m_style.measure(text, TextRole::Small, false) + m_theme.spacing;
        if (rect.width < room || rect.height < m_theme.smallSize + 2.0)
            return;
        labels.push_back(
            Label{{rect.x + rect.width / 2, rect.y + rect.height / 2 + m_theme.smallSize * 0.35},
                text, readableOn(color), TextRole::Small, Align::Centre, false, 0.0});
    }

    void addNames(PlotScene& scene) const {
        const int every
            = std::max(1, static_cast<int>(std::ceil((m_theme.smallSize + 2) / m_rowHeight)));
        for (int stage = 0; stage < m_schedule.stages; stage += every)
            scene.items.push_back(
                Label{{m_area.x - m_theme.spacing,
                          m_area.y + (stage + 0.5) * m_rowHeight + m_theme.smallSize * 0.35},
                    fmt::format("stage {}", stage), m_theme.textSecondary, TextRole::Small,
                    Align::Right, false, 0.0});
    }

    const Schedule& m_schedule;
    double m_from;
    double m_to;
    const Theme& m_theme;
    const DiagramStyle& m_style;
    Rect m_area;
    double m_rowHeight = 0.0;
    double m_scale = 0.0;
    std::vector<Bars> m_rows;
};

} // namespace

Color taskColor(TaskKind kind, int chunk) {
    // Sky blue, orange and bluish green of the shared palette.
    constexpr std::size_t kForward = 1;
    constexpr std::size_t kBackward = 0;
    constexpr std::size_t kWeights = 2;
    const std::size_t index = kind == TaskKind::Forward ? kForward
        : kind == TaskKind::Backward                    ? kBackward
                                                        : kWeights;
    constexpr double kLighter = 0.25;
    constexpr double kLightest = 0.6;
    return blend(seriesColor(index), rgb(0xffffff), std::min(kLightest, chunk * kLighter));
}

ScheduleChart buildScheduleChart(
    const Schedule& schedule, double from, double to, const DiagramStyle& style) {
    return ChartBuilder(schedule, from, to, style).build();
}

std::optional<std::size_t> taskAt(const ScheduleChart& chart, double x, double y) {
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const Rect& bar = chart.bars[i];
        if (x >= bar.x && x < bar.right() && y >= bar.y && y < bar.bottom())
            return chart.tasks[i];
    }
    return std::nullopt;
}

} // namespace trainscope::plot
