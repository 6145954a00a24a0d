#pragma once
// A pipeline schedule as a Gantt chart: for each stage the passes as traced and below them the plan
// on one axis, time without a pass hatched. Without a trace the plan alone. A query is loaded into
// plain values, which geometry and CSV are made from.

#include "core/analysis/schedule/TracedSchedule.h"
#include "core/layout/Schedule.h"
#include "core/plot/Sheet.h"

namespace trainscope::plot {

struct ScheduleQuery {
    RunId run;
    std::optional<std::int64_t> iteration; // absent: the one with most of it traced
    bool plannedOnly = false;
    // Part of the step to show, seconds since its first pass; all of it without.
    std::optional<double> from;
    std::optional<double> to;
    // Absent: the nearest to the traced passes; without a trace that of the layout.
    std::optional<layout::ScheduleKind> plan = {};

    bool operator==(const ScheduleQuery&) const = default;
};

struct ScheduleFigureData : SheetTexts {
    ScheduleQuery query;
    std::string run;
    std::optional<analysis::TracedSchedule> traced; // the passes, with their own plan beside them
    std::optional<layout::Schedule> plan; // without a trace
    // Unit of the axis: "s"; a plan without seconds has the meaning of a time of 1, for people:
    // "forward passes of a stage".
    std::string unit = "s";
    double from = 0.0; // shown
    double to = 0.0;

    [[nodiscard]] bool isEmpty() const { return !traced && !plan; }
    [[nodiscard]] const layout::Schedule* passes() const; // traced ones; nullptr: none
    [[nodiscard]] const layout::Schedule* planned() const; // nullptr: none
    [[nodiscard]] int stageCount() const;
    [[nodiscard]] analysis::StageBubble bubbleOf(int stage) const;
    // Mean bubbles of the stages.
    [[nodiscard]] std::optional<double> plannedBubble() const;
    [[nodiscard]] bool isTimed() const { return unit == "s"; } // else in `unit`
    // "1F1B", "Order of no known schedule": of the traced passes, else of the plan. Not of an empty
    // one.
    [[nodiscard]] std::string_view kindTitle() const;
};

// A row per pass: series (traced, planned), stage, rank, chunk, micro-batch, kind, start and end.
std::string scheduleCsv(const ScheduleFigureData& data);

// Areas are the rows by stage. Targets are passes and bubbles of at least a pixel. Titles: "stage 1
// · backward of micro-batch 3", "stage 1 · bubble". Pure; any thread.
Picture buildScheduleFigure(const ScheduleFigureData& data, const FigureStyle& style);

} // namespace trainscope::plot
