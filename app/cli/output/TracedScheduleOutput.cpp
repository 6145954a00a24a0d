#include "app/cli/output/TracedScheduleOutput.h"

#include "app/cli/output/LayoutOutput.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <ostream>

namespace trainscope::cli {

namespace {

// The nearest first.
Json plansJson(const analysis::TracedSchedule& schedule) {
    return listOf(schedule.plans, [&](const analysis::PlanFit& fit) {
        return object({{"kind", toString(fit.kind)}, {"makespan_s", fit.makespan},
            {"bubble_fraction", fit.bubbleFraction},
            {"longer_fraction", schedule.traced.makespan / fit.makespan - 1.0},
            {"same_order_fraction", fit.sameOrder}});
    });
}

Json tracedStagesJson(const analysis::TracedSchedule& schedule) {
    Json stages = Json::array();
    for (const auto& stage : schedule.stages)
        stages.push_back(
            object({{"stage", stages.size()}, {"rank", when(stage.rank >= 0, stage.rank)},
                {"bubble_fraction", stage.traced}, {"planned_bubble_fraction", stage.planned}}));
    return stages;
}

} // namespace

Json tracedScheduleJson(const analysis::TracedSchedule& schedule, bool withTasks) {
    const auto& traced = schedule.traced;
    Json json = object({{"kind", toString(traced.kind)}, {"whole_step", schedule.isWhole},
        {"begin_ns", schedule.begin.ns}, {"from_s", schedule.windowFrom},
        {"to_s", schedule.windowTo}, {"bubble_fraction", schedule.tracedBubble},
        {"basis", schedule.basis}, {"notes", schedule.notes},
        {"known_order", schedule.isKnownOrder}, {"iteration", schedule.iteration},
        {"planned_bubble_fraction", schedule.plannedBubble},
        {"ideal_bubble_fraction", schedule.idealBubble},
        {"microbatches", when(traced.microbatches > 0, traced.microbatches)},
        {"virtual_stages", traced.virtualStages},
        {"microbatches_estimated", when(schedule.isEstimated, true)},
        {"plans", when(!schedule.plans.empty(), plansJson(schedule))}});
    if (schedule.planned)
        json["planned_kind"] = toString(schedule.planned->kind);
    json["stages"] = tracedStagesJson(schedule);
    if (withTasks)
        json["tasks"] = tasksJson(traced);
    if (withTasks && schedule.planned)
        json["planned_tasks"] = tasksJson(*schedule.planned);
    return json;
}

void printTracedSchedule(std::ostream& out, const analysis::TracedSchedule& schedule) {
    out << "\nas traced";
    if (schedule.iteration)
        out << fmt::format(" in iteration {}", *schedule.iteration);
    out << fmt::format(": bubbles {}", text::percent(schedule.tracedBubble));
    if (schedule.plannedBubble)
        out << fmt::format(", {} planned ({}) with the traced durations",
            text::percent(schedule.plannedBubble), titleOf(schedule.planned->kind));
    out << '\n';
    text::Table table{.columns = {{"stage"}, {"rank"}, {"bubbles"}, {"planned"}}};
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        const auto& one = schedule.stages[stage];
        table.add({stage, one.rank >= 0 ? std::to_string(one.rank) : "", text::percent(one.traced),
            text::percent(one.planned)});
    }
    text::print(out, table, "  ");
    if (const std::string sentence = analysis::planSentence(schedule); !sentence.empty())
        out << sentence << '\n';
    out << schedule.basis << '\n';
    for (const std::string& note : schedule.notes)
        out << note << '\n';
}

} // namespace trainscope::cli
