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
    Json plans = Json::array();
    for (const analysis::PlanFit& fit : schedule.plans) {
        Json one{{"kind", toString(fit.kind)}, {"makespan_s", fit.makespan},
            {"bubble_fraction", fit.bubbleFraction},
            {"longer_fraction", schedule.traced.makespan / fit.makespan - 1.0}};
        setIfPresent(one, "same_order_fraction", fit.sameOrder);
        plans.push_back(std::move(one));
    }
    return plans;
}

} // namespace

Json tracedScheduleJson(const analysis::TracedSchedule& schedule, bool withTasks) {
    Json json{{"kind", toString(schedule.traced.kind)}, {"whole_step", schedule.isWhole},
        {"begin_ns", schedule.begin.ns}, {"from_s", schedule.windowFrom},
        {"to_s", schedule.windowTo}, {"bubble_fraction", schedule.tracedBubble},
        {"basis", schedule.basis}, {"notes", schedule.notes}};
    json["known_order"] = schedule.isKnownOrder;
    setIfPresent(json, "iteration", schedule.iteration);
    setIfPresent(json, "planned_bubble_fraction", schedule.plannedBubble);
    setIfPresent(json, "ideal_bubble_fraction", schedule.idealBubble);
    if (schedule.traced.microbatches > 0)
        json["microbatches"] = schedule.traced.microbatches;
    json["virtual_stages"] = schedule.traced.virtualStages;
    if (schedule.isEstimated)
        json["microbatches_estimated"] = true;
    if (!schedule.plans.empty())
        json["plans"] = plansJson(schedule);
    if (schedule.planned)
        json["planned_kind"] = toString(schedule.planned->kind);
    Json stages = Json::array();
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        Json one{{"stage", stage}};
        if (schedule.stages[stage].rank >= 0)
            one["rank"] = schedule.stages[stage].rank;
        setIfPresent(one, "bubble_fraction", schedule.stages[stage].traced);
        setIfPresent(one, "planned_bubble_fraction", schedule.stages[stage].planned);
        stages.push_back(std::move(one));
    }
    json["stages"] = std::move(stages);
    if (withTasks) {
        json["tasks"] = tasksJson(schedule.traced);
        if (schedule.planned)
            json["planned_tasks"] = tasksJson(*schedule.planned);
    }
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
