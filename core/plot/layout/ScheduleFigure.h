#pragma once
// A pipeline schedule as a Gantt chart: for each stage the passes as traced and below them the plan
// on one axis, time without a pass hatched. Without a trace the plan alone. A query is loaded into
// plain values, which geometry and CSV are made from.

#include "core/analysis/schedule/SchedulePlans.h"
#include "core/layout/Schedule.h"
#include "core/plot/Sheet.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    // Shares of time in which a stage has no pass; absent: not known.
    struct StageFacts {
        int rank = -1; // a traced one; -1: none
        std::optional<double> tracedBubble;
        std::optional<double> plannedBubble;
    };

    ScheduleQuery query;
    std::string run;
    std::optional<layout::Schedule> traced; // seconds since the first pass
    std::optional<layout::Schedule> planned; // likewise beside a trace; else in `unit`
    // Unit of the axis: "s"; a plan without seconds has the meaning of a time of 1, for people:
    // "forward passes of a stage".
    std::string unit;
    std::optional<std::int64_t> iteration;
    // Plans of a whole traced step, the nearest first, and the verdict on them.
    std::vector<analysis::PlanFit> plans;
    std::string verdict;
    double from = 0.0; // shown
    double to = 0.0;
    double windowFrom = 0.0; // traced time in which bubbles are measured
    double windowTo = 0.0;
    std::vector<StageFacts> stages;
    std::optional<double> tracedBubble;
    std::optional<double> plannedBubble;
    std::optional<double> idealBubble; // with equal stages
    bool isKnownOrder = true; // the traced passes come in the order of the traced schedule's kind

    [[nodiscard]] bool isEmpty() const { return !traced && !planned; }
    [[nodiscard]] int stageCount() const;
    [[nodiscard]] bool isTimed() const; // else in `unit`
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
