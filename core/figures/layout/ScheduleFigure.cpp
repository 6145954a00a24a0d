#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/figures/layout/LayoutFigure.h"

namespace trainscope::figures {

using namespace plot;

namespace {

using layout::Schedule;
using layout::ScheduleKind;

std::string shapeOf(const Schedule& schedule, std::string_view name) {
    std::string text = fmt::format("{}, {}", name, text::counted(schedule.stages, "stage"));
    if (schedule.virtualStages > 1)
        text += fmt::format(" of {} pieces", schedule.virtualStages);
    if (schedule.microbatches > 0)
        text += ", " + text::counted(schedule.microbatches, "micro-batch", "micro-batches");
    return text;
}

// True where only a missing fact prevents the schedule.
bool isMissing(const Error& error) {
    return error.code == ErrorCode::NotFound || error.code == ErrorCode::Usage;
}

std::string tracedCaption(const analysis::TracedSchedule& traced, const std::string& shape) {
    std::string caption = shape;
    if (traced.planned)
        caption += fmt::format("; traced above, {} planned below", titleOf(traced.planned->kind));
    caption += ". Hatched: no pass runs. Bubbles " + text::percent(traced.tracedBubble) + " traced";
    if (traced.plannedBubble)
        caption += ", " + text::percent(*traced.plannedBubble) + " planned";
    if (traced.idealBubble)
        caption += ", " + text::percent(*traced.idealBubble) + " with equal stages in a whole step";
    return caption + ". " + traced.basis + ".";
}

void takeTraced(analysis::TracedSchedule traced, ScheduleFigureData& data) {
    if (auto verdict = analysis::planSentence(traced); !verdict.empty())
        data.notes.push_back(std::move(verdict));
    if (traced.planned)
        data.notes.emplace_back("The plan has the mean durations of the traced passes of each "
                                "stage and sends in no time.");
    data.notes.insert(data.notes.end(), traced.notes.begin(), traced.notes.end());
    data.from = traced.windowFrom;
    data.to = traced.windowTo;
    if (traced.isWhole && traced.planned)
        data.to = std::max(data.to, traced.planned->makespan);
    data.traced = std::move(traced);
    data.caption = tracedCaption(*data.traced, shapeOf(data.traced->traced, data.kindTitle()));
}

// Another kind than the layout's has the same work in its own pieces.
Result<Schedule> planOfLayout(const layout::Layout& layout, std::optional<ScheduleKind> kind) {
    auto own = planSchedule(layout);
    if (!kind || *kind == layout.schedule)
        return own;
    if (!layout.microbatches)
        return own.error();
    analysis::DoneStep step;
    step.schedule.kind = layout.schedule;
    step.schedule.stages = layout.grid.degrees().pipeline;
    step.schedule.microbatches = *layout.microbatches;
    step.schedule.virtualStages = layout.virtualStages;
    step.microbatchGroup = layout.microbatchGroup;
    step.times = pieceTimesOf(layout);
    return planOf(step, *kind);
}

// The plan of the run's layout alone.
Status takePlan(const analysis::RunStudy& study, ScheduleFigureData& data) {
    const auto told = analysis::runLayout(study);
    if (!told.hasValue()) {
        data.emptyText = told.error().message;
        return isMissing(told.error()) ? Status() : told.error();
    }
    const auto layout = layout::makeLayout(told.value().request);
    const auto plan
        = layout.hasValue() ? planOfLayout(layout.value(), data.query.plan) : layout.error();
    if (!plan.hasValue()) {
        data.emptyText = plan.error().message;
        return isMissing(plan.error()) ? Status() : plan.error();
    }
    const auto& chunks = layout.value().chunks;
    const bool isUneven = std::ranges::any_of(
        chunks, [&](const auto& chunk) { return chunk.layers != chunks.front().layers; });
    data.unit = isUneven ? "forward passes of a layer" : "forward passes of a stage";
    data.plan = plan.value();
    data.to = plan.value().makespan;
    data.caption = shapeOf(plan.value(), titleOf(plan.value().kind))
        + " as planned: backward passes take twice as long as "
        + "forward ones, sending no time. Hatched: no pass runs. Bubbles "
        + text::percent(plan.value().bubbleFraction) + ". Layout from " + told.value().wording
        + ".";
    return {};
}

void clipWindow(ScheduleFigureData& data) {
    data.from = std::max(data.from, data.query.from.value_or(data.from));
    data.to = std::min(data.to, data.query.to.value_or(data.to));
    if (data.to <= data.from && !data.isEmpty()) {
        data.traced.reset();
        data.plan.reset();
        data.emptyText = "The step has nothing in that window.";
    }
}

Options<ScheduleQuery> scheduleOptions() {
    using Query = ScheduleQuery;
    return std::vector<OptionOf<Query>>{
        numberOption<Query>(
            {"iteration", "K", "Schedule: show this one; without, the one with most of it traced"},
            integerGiven, &Query::iteration),
        switchOption<Query>({"planned", {}, "Schedule: the plan alone"}, &Query::plannedOnly),
        numberOption<Query>({"from", "S",
                                "Begin of the window; of schedules in seconds since the step's "
                                "first pass"},
            numberGiven, &Query::from),
        numberOption<Query>({"to", "S",
                                "End of the window; of schedules in seconds since the step's first "
                                "pass"},
            numberGiven, &Query::to)};
}

Result<Figure> loadScheduleKind(
    const analysis::RunStudies& studies, const Request& request, ScheduleQuery query) {
    if (query.plannedOnly && query.iteration)
        return usageError(
            "The plan is the same in every iteration; give --planned or --iteration.");
    query.run = request.runs.front().id;
    ASSIGN_OR_RETURN(auto data, loadSchedule(studies.store, query, studies.progress));
    return scheduleFigure(std::make_shared<const ScheduleFigureData>(std::move(data)));
}

} // namespace

Result<ScheduleFigureData> loadSchedule(
    const store::Store& store, const ScheduleQuery& query, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto run, runOf(store, query.run));
    ScheduleFigureData data;
    data.query = query;
    data.run = run.name;
    if (!query.plannedOnly) {
        auto traced
            = analysis::tracedSchedule({store, run, progress}, {query.iteration, query.plan});
        if (traced.hasValue())
            takeTraced(std::move(traced).value(), data);
        else if (!isMissing(traced.error()) || query.iteration)
            return traced.error();
        else
            data.notes.push_back(traced.error().message);
    }
    if (!data.traced) {
        RETURN_IF_ERROR(takePlan({store, run, progress}, data));
    }
    data.title = "Pipeline schedule · " + data.run;
    if (data.traced && data.traced->iteration)
        data.title += fmt::format(" · iteration {}", *data.traced->iteration);
    clipWindow(data);
    return data;
}

Figure scheduleFigure(const std::shared_ptr<const ScheduleFigureData>& data) {
    Figure figure{"schedule", data->title, data->isEmpty() ? data->emptyText : std::string(),
        {{data->query.run, data->run}}, {}, {}, {}};
    figure.csv = [data] { return scheduleCsv(*data); };
    figure.draw = drawing(data, buildScheduleFigure);
    return figure;
}

std::vector<Kind> scheduleKinds() {
    return {kindWith("schedule", RunsShown::One, scheduleOptions(), loadScheduleKind)};
}

} // namespace trainscope::figures
