#include "core/analysis/schedule/ScheduleAssembly.h"

#include "core/analysis/schedule/SchedulePlans.h"
#include "core/analysis/statistics/Means.h"
#include "core/layout/ScheduleOrder.h"
#include "core/text/NumberMarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace trainscope::analysis {

namespace {

using layout::PieceTimes;
using layout::Schedule;
using layout::ScheduleKind;
using layout::ScheduleTask;
using layout::TaskKind;

using TaskMeans = std::array<RunningMean, 3>; // by TaskKind

const RunningMean& of(const TaskMeans& sums, TaskKind kind) {
    return sums[static_cast<std::size_t>(kind)];
}

// Means by piece of the model, as the schedule's kind lays them on the stages; of a piece without
// passes those of all others. Tasks that are cut count only where a piece has no others. Gradients
// of the weights that are done apart count by the backward pass; where none are, inputs' and
// weights' gradients are half of it each.
std::vector<PieceTimes> meanTimes(const layout::Schedule& traced, const std::vector<bool>& isCut) {
    const auto pieces
        = static_cast<std::size_t>(traced.stages) * static_cast<std::size_t>(traced.virtualStages);
    std::vector<TaskMeans> whole(pieces);
    std::vector<TaskMeans> any(pieces);
    TaskMeans all{};
    for (std::size_t i = 0; i < traced.tasks.size(); ++i) {
        const ScheduleTask& task = traced.tasks[i];
        const auto piece
            = static_cast<std::size_t>(pieceOf(traced.kind, traced.stages, task.stage, task.chunk));
        const auto kind = static_cast<std::size_t>(task.kind);
        for (TaskMeans* sums : {&all, &any[piece], isCut[i] ? nullptr : &whole[piece]}) {
            if (sums != nullptr)
                (*sums)[kind].add(task.end - task.start);
        }
    }
    const bool isSplit = of(all, TaskKind::WeightGradient).count > 0;
    std::vector<PieceTimes> times;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        const auto best = [&](TaskKind kind) -> const RunningMean& {
            for (const TaskMeans* sums : {&whole[piece], &any[piece]}) {
                if (of(*sums, kind).count > 0)
                    return of(*sums, kind);
            }
            return of(all, kind);
        };
        const double backward = best(TaskKind::Backward).value();
        PieceTimes one{best(TaskKind::Forward).value(), backward / 2.0, backward / 2.0};
        if (isSplit) {
            const TaskMeans& own = of(any[piece], TaskKind::Backward).count > 0 ? any[piece] : all;
            const int passes = of(own, TaskKind::Backward).count;
            one.inputGradient = backward;
            one.weightGradient = passes > 0 ? of(own, TaskKind::WeightGradient).sum / passes : 0.0;
        }
        times.push_back(one);
    }
    return times;
}

double overlapOf(const ScheduleTask& task, double from, double to) {
    return std::max(0.0, std::min(task.end, to) - std::max(task.start, from));
}

class Assembly {
public:
    explicit Assembly(const AssemblyRequest& request)
        : m_request(request) { }

    TracedSchedule build() {
        m_result.iteration = m_request.traces.iteration;
        m_result.isWhole = m_request.order.extent == PassExtent::Whole;
        m_result.isKnownOrder = m_request.order.kind.has_value();
        m_result.notes = m_request.traces.notes;
        placeOrigin();
        addTasks();
        placeWindow();
        m_result.traced.makespan = m_result.windowTo - m_result.windowFrom;
        plan();
        measure();
        explain();
        return std::move(m_result);
    }

private:
    [[nodiscard]] double secondsOf(TimeNs t) const { return (t - m_result.begin).seconds(); }
    [[nodiscard]] int stageCount() const {
        return static_cast<int>(m_request.traces.stages.size());
    }
    [[nodiscard]] bool hasBegin() const {
        return m_result.isWhole || m_request.order.extent == PassExtent::Begin;
    }
    [[nodiscard]] bool hasEnd() const {
        return m_result.isWhole || m_request.order.extent == PassExtent::End;
    }

    // A schedule whose pieces of the model lie on the stages as those of the traced passes.
    [[nodiscard]] ScheduleKind shapeOf() const {
        if (m_request.order.kind)
            return *m_request.order.kind;
        if (m_request.order.virtualStages == 1)
            return hasWeightPasses(m_request.passes) ? ScheduleKind::ZeroBubble
                                                     : m_request.traces.layout.schedule;
        const bool isV = m_request.order.virtualStages == 2 && hasWeightPasses(m_request.passes);
        return isV ? ScheduleKind::ZeroBubbleV : ScheduleKind::Interleaved;
    }

    void placeOrigin() {
        m_result.begin = kAllTime.end;
        for (const auto& passes : m_request.passes) {
            for (const Pass& pass : passes)
                m_result.begin = std::min(m_result.begin, pass.range.begin);
        }
    }

    void addTasks() {
        Schedule& traced = m_result.traced;
        traced.kind = shapeOf();
        traced.stages = stageCount();
        traced.virtualStages = m_request.order.virtualStages;
        traced.microbatches = m_request.order.microbatches;
        for (std::size_t stage = 0; stage < m_request.passes.size(); ++stage) {
            for (std::size_t i = 0; i < m_request.passes[stage].size(); ++i) {
                const Pass& pass = m_request.passes[stage][i];
                const PassNumber& number = m_request.order.numbers[stage][i];
                traced.tasks.push_back({static_cast<int>(stage), number.chunk, number.microbatch,
                    *pass.kind, secondsOf(pass.range.begin), secondsOf(pass.range.end)});
            }
        }
    }

    // From the first pass of any stage where that is the step's first, else from where all stages
    // are seen; its end likewise.
    void placeWindow() {
        double first = 0.0;
        double last = 0.0;
        double seenFrom = 0.0;
        double seenTo = 1e300;
        for (const ScheduleTask& task : m_result.traced.tasks)
            last = std::max(last, task.end);
        for (std::size_t stage = 0; stage < m_request.passes.size(); ++stage) {
            if (m_request.passes[stage].empty())
                continue;
            const TimeRange& covered = m_request.traces.stages[stage].covered;
            seenFrom = std::max(seenFrom, secondsOf(covered.begin));
            seenTo = std::min(seenTo, secondsOf(covered.end));
        }
        m_result.windowFrom = hasBegin() ? first : std::min(seenFrom, last);
        m_result.windowTo = hasEnd() ? last : std::clamp(seenTo, m_result.windowFrom, last);
    }

    // Its tasks, and which of them may have begun before the trace or end after it.
    [[nodiscard]] DoneStep doneStep() const {
        std::vector<bool> isCut;
        for (const auto& passes : m_request.passes) {
            for (std::size_t i = 0; i < passes.size(); ++i)
                isCut.push_back((i == 0 && !hasBegin()) || (i + 1 == passes.size() && !hasEnd()));
        }
        return {m_result.traced, meanTimes(m_result.traced, isCut),
            m_request.traces.layout.microbatchGroup};
    }

    // For a part of a step it is the one that its order, or who asks, says.
    [[nodiscard]] std::optional<ScheduleKind> plannedKind() const {
        if (m_request.plan)
            return m_request.plan;
        if (m_request.order.kind)
            return m_request.order.kind;
        return m_result.plans.empty() ? std::nullopt : std::optional(m_result.plans.front().kind);
    }

    void plan() {
        if (m_request.order.microbatches == 0 || !(hasBegin() || hasEnd()))
            return;
        const DoneStep done = doneStep();
        if (m_result.isWhole)
            rankPlans(done);
        const auto kind = plannedKind();
        if (!kind)
            return;
        auto made = planOf(done, *kind);
        if (!made.hasValue()) {
            m_result.notes.push_back("No plan: " + made.error().message);
            return;
        }
        const double shift = hasBegin() ? 0.0 : m_result.windowTo - made.value().makespan;
        for (ScheduleTask& task : made.value().tasks) {
            task.start += shift;
            task.end += shift;
        }
        m_result.idealBubble = layout::idealBubbleFraction(
            *kind, stageCount(), m_request.order.microbatches, made.value().virtualStages);
        m_result.planned = std::move(made).value();
    }

    // A plan that is known for certain comes before those that are merely near.
    void rankPlans(const DoneStep& done) {
        auto& plans = m_result.plans;
        plans = fitPlans(done);
        if (m_request.order.kind)
            std::stable_partition(plans.begin(), plans.end(),
                [&](const PlanFit& fit) { return fit.kind == *m_request.order.kind; });
        else if (!plans.empty() && plans.front().sameOrder)
            m_result.traced.kind = plans.front().kind;
    }

    // Idle share of the window, by stage.
    [[nodiscard]] std::vector<double> bubbles(const Schedule& schedule) const {
        const double length = m_result.windowTo - m_result.windowFrom;
        std::vector<double> idle(static_cast<std::size_t>(stageCount()), length > 0.0 ? 1.0 : 0.0);
        for (const ScheduleTask& task : schedule.tasks) {
            if (length > 0.0)
                idle[static_cast<std::size_t>(task.stage)]
                    -= overlapOf(task, m_result.windowFrom, m_result.windowTo) / length;
        }
        for (double& one : idle)
            one = std::max(0.0, one);
        return idle;
    }

    void measure() {
        Schedule& traced = m_result.traced;
        traced.stageBubble = bubbles(traced);
        // The plan of a whole step is done before the window ends: its bubbles are its own.
        std::vector<double> planned;
        if (m_result.planned)
            planned = m_result.isWhole ? m_result.planned->stageBubble : bubbles(*m_result.planned);
        double sum = 0.0;
        double plannedSum = 0.0;
        int count = 0;
        for (std::size_t stage = 0; stage < m_request.passes.size(); ++stage) {
            StageBubble& bubble = m_result.stages.emplace_back();
            bubble.rank = m_request.traces.stages[stage].rank;
            if (m_request.passes[stage].empty())
                continue;
            bubble.traced = traced.stageBubble[stage];
            sum += *bubble.traced;
            ++count;
            if (planned.empty())
                continue;
            bubble.planned = planned[stage];
            plannedSum += *bubble.planned;
        }
        m_result.tracedBubble = sum / std::max(1, count);
        traced.bubbleFraction = m_result.tracedBubble;
        if (!planned.empty())
            m_result.plannedBubble = plannedSum / std::max(1, count);
    }

    void explain() {
        const double length = m_result.windowTo - m_result.windowFrom;
        auto& notes = m_result.notes;
        const auto sayPart = [&](const char* part) {
            notes.push_back(fmt::format(
                "The traces show {} of the step, {:.3g} s; bubbles are those of this part.", part,
                text::worded(length)));
        };
        switch (m_request.order.extent) {
        case PassExtent::Whole:
            return;
        case PassExtent::Begin:
            sayPart("the first part");
            break;
        case PassExtent::End:
            sayPart("the last part");
            break;
        case PassExtent::Part:
            sayPart("a part");
            break;
        case PassExtent::Unknown:
            notes.emplace_back("The passes come in the order of no known schedule: they have no "
                               "numbers, and there is no plan beside them.");
            return;
        }
        if (m_request.order.microbatches == 0)
            notes.emplace_back("The number of micro-batches is not known, so there is no plan: "
                               "import the launch configuration (global batch, micro-batch and "
                               "data parallelism) or enter the layout by hand.");
    }

    const AssemblyRequest& m_request;
    TracedSchedule m_result;
};

} // namespace

TracedSchedule assembleSchedule(const AssemblyRequest& request) {
    return Assembly(request).build();
}

} // namespace trainscope::analysis
