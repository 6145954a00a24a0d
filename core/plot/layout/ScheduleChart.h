#pragma once
// A pipeline schedule as a Gantt chart: a row per stage, a bar per task with the number of its
// micro-batch where it fits, bubbles left empty. Pure; any thread.

#include "core/layout/Schedule.h"
#include "core/plot/layout/DiagramStyle.h"

#include <optional>
#include <vector>

namespace trainscope::plot {

struct ScheduleChart {
    PlotScene scene;
    Rect area; // of the rows
    // Indices into the schedule's tasks, of those in the window, and where they lie.
    std::vector<std::size_t> tasks;
    std::vector<Rect> bars;
};

// The part of the schedule from `from` to `to`, in the schedule's own time; all of it where
// to <= from. Bars that share a pixel are drawn as one, in the colour of the first.
ScheduleChart buildScheduleChart(
    const layout::Schedule& schedule, double from, double to, const DiagramStyle& style);

// Index into the schedule's tasks.
std::optional<std::size_t> taskAt(const ScheduleChart& chart, double x, double y);

// Forward, backward and weight gradient; later chunks are lighter.
Color taskColor(layout::TaskKind kind, int chunk);

} // namespace trainscope::plot
