#include "core/plot/layout/ScheduleFigure.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

using layout::Schedule;
using layout::ScheduleTask;
using layout::TaskKind;

using Facts = std::vector<std::pair<std::string, std::string>>;

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
    return std::any_of(schedule.tasks.begin(), schedule.tasks.end(),
        [](const ScheduleTask& task) { return task.kind == TaskKind::WeightGradient; });
}

class Finder {
public:
    Finder(const ScheduleFigureData& data, const ScheduleGeometry& geometry)
        : m_data(data)
        , m_geometry(geometry) { }

    [[nodiscard]] std::optional<FigureHit> at(double x, double y) const {
        for (const auto& target : m_geometry.targets) {
            if (target.rect.contains({x, y}))
                return passHit(target);
        }
        return bubbleAt(x, y);
    }

private:
    [[nodiscard]] std::string textOf(double time) const {
        return m_data.traced ? text::quantity(time, "s") : fmt::format("{:g}", text::worded(time));
    }

    [[nodiscard]] FigureHit hitOf(int stage, const Rect& outline) const {
        FigureHit hit;
        hit.outline = outline;
        hit.stage = stage;
        hit.run = m_data.query.run;
        const int rank = m_data.stages[static_cast<std::size_t>(stage)].rank;
        if (rank >= 0)
            hit.rank = rank;
        return hit;
    }

    void addBubbles(int stage, Facts& facts) const {
        const auto& own = m_data.stages[static_cast<std::size_t>(stage)];
        if (own.tracedBubble)
            facts.emplace_back("bubbles of the stage", text::percent(*own.tracedBubble));
        if (own.plannedBubble)
            facts.emplace_back(own.tracedBubble ? "planned" : "bubbles of the stage",
                text::percent(*own.plannedBubble));
    }

    [[nodiscard]] FigureHit passHit(const ScheduleGeometry::Target& target) const {
        const Schedule& schedule = target.isPlanned ? *m_data.planned : *m_data.traced;
        const ScheduleTask& task = schedule.tasks[target.task];
        FigureHit hit = hitOf(task.stage, target.rect);
        hit.title
            = fmt::format("stage {} · {}{}{}{}", task.stage, wordOf(task.kind, isSplit(schedule)),
                task.microbatch >= 0 ? fmt::format(" of micro-batch {}", task.microbatch) : "",
                schedule.virtualStages > 1 ? fmt::format(", piece {}", task.chunk) : "",
                target.isPlanned ? ", planned" : "");
        hit.facts = {{"begins", textOf(task.start)}, {"ends", textOf(task.end)},
            {"takes", textOf(task.end - task.start)}};
        addBubbles(task.stage, hit.facts);
        return hit;
    }

    // Time without a pass, in the lane of the passes; the one alone where there is no trace.
    [[nodiscard]] std::optional<FigureHit> bubbleAt(double x, double y) const {
        const bool isPlanned = !m_data.traced;
        const auto row = std::find_if(
            m_geometry.grounds.begin(), m_geometry.grounds.end(), [&](const Rect& rect) {
                return rect.contains({x, y});
            });
        if (row == m_geometry.grounds.end() || m_data.isEmpty())
            return std::nullopt;
        const int stage = static_cast<int>(row - m_geometry.grounds.begin());
        const Schedule& schedule = isPlanned ? *m_data.planned : *m_data.traced;
        const double perPixel = (m_data.to - m_data.from) / m_geometry.area.width;
        const double time = m_data.from + (x - m_geometry.area.x) * perPixel;
        double from = isPlanned ? 0.0 : m_data.windowFrom;
        double to = isPlanned ? schedule.makespan : m_data.windowTo;
        const double length = to - from;
        for (const ScheduleTask& task : schedule.tasks) {
            if (task.stage != stage)
                continue;
            if (task.start <= time && time < task.end)
                return std::nullopt;
            if (task.end <= time)
                from = std::max(from, task.end);
            else
                to = std::min(to, task.start);
        }
        if (time < from || time >= to || length <= 0.0)
            return std::nullopt;
        const double left = std::max(row->x, m_geometry.area.x + (from - m_data.from) / perPixel);
        const double right
            = std::min(row->right(), m_geometry.area.x + (to - m_data.from) / perPixel);
        FigureHit hit = hitOf(stage, {left, row->y, right - left, row->height});
        hit.title = fmt::format("stage {} · bubble: no pass runs", stage);
        hit.facts = {{"begins", textOf(from)}, {"ends", textOf(to)}, {"takes", textOf(to - from)},
            {m_data.traced ? "of the time shown" : "of the step",
                text::percent((to - from) / length)}};
        addBubbles(stage, hit.facts);
        return hit;
    }

    const ScheduleFigureData& m_data;
    const ScheduleGeometry& m_geometry;
};

} // namespace

std::optional<FigureHit> hitSchedule(
    const ScheduleFigureData& data, const ScheduleGeometry& geometry, double x, double y) {
    return Finder(data, geometry).at(x, y);
}

} // namespace trainscope::plot
