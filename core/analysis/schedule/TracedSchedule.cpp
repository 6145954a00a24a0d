#include "core/analysis/schedule/TracedSchedule.h"

#include "core/analysis/schedule/PassOrder.h"
#include "core/analysis/schedule/StageTraces.h"
#include "core/analysis/schedule/UnmarkedPasses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace trainscope::analysis {

namespace {

using layout::PieceTimes;
using layout::Schedule;
using layout::ScheduleTask;
using layout::TaskKind;

double overlapOf(const ScheduleTask& task, double from, double to) {
    return std::max(0.0, std::min(task.end, to) - std::max(task.start, from));
}

class Builder {
public:
    Builder(
        const StageTraces& traces, const PassOrder& order, std::vector<std::vector<Pass>> passes)
        : m_traces(traces)
        , m_order(order)
        , m_passes(std::move(passes)) { }

    TracedSchedule build() {
        m_result.iteration = m_traces.iteration;
        m_result.isWhole = m_order.extent == PassExtent::Whole;
        m_result.basis = m_traces.basis;
        m_result.notes = m_traces.notes;
        placeOrigin();
        addTasks();
        placeWindow();
        plan();
        measure();
        explain();
        return m_result;
    }

private:
    [[nodiscard]] double secondsOf(TimeNs t) const { return (t - m_result.begin).seconds(); }

    [[nodiscard]] int pieces() const { return stageCount() * virtualStages(); }
    [[nodiscard]] int stageCount() const { return static_cast<int>(m_traces.stages.size()); }
    [[nodiscard]] int virtualStages() const { return m_traces.layout.virtualStages; }

    void placeOrigin() {
        m_result.begin = kAllTime.end;
        for (const auto& passes : m_passes) {
            for (const Pass& pass : passes)
                m_result.begin = std::min(m_result.begin, pass.range.begin);
        }
    }

    void addTasks() {
        Schedule& traced = m_result.traced;
        traced.kind = m_order.kind;
        traced.stages = stageCount();
        traced.virtualStages = virtualStages();
        traced.microbatches = m_order.microbatches;
        for (std::size_t stage = 0; stage < m_passes.size(); ++stage) {
            for (std::size_t i = 0; i < m_passes[stage].size(); ++i) {
                const Pass& pass = m_passes[stage][i];
                const PassNumber& number = m_order.numbers[stage][i];
                traced.tasks.push_back({static_cast<int>(stage), number.chunk, number.microbatch,
                    pass.mark == Mark::Backward ? TaskKind::Backward : TaskKind::Forward,
                    secondsOf(pass.range.begin), secondsOf(pass.range.end)});
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
        for (std::size_t stage = 0; stage < m_passes.size(); ++stage) {
            if (m_passes[stage].empty())
                continue;
            const TimeRange& covered = m_traces.stages[stage].covered;
            seenFrom = std::max(seenFrom, secondsOf(covered.begin));
            seenTo = std::min(seenTo, secondsOf(covered.end));
        }
        const bool hasBegin
            = m_order.extent == PassExtent::Whole || m_order.extent == PassExtent::Begin;
        const bool hasEnd
            = m_order.extent == PassExtent::Whole || m_order.extent == PassExtent::End;
        m_result.windowFrom = hasBegin ? first : std::min(seenFrom, last);
        m_result.windowTo = hasEnd ? last : std::clamp(seenTo, m_result.windowFrom, last);
    }

    // Mean durations by stage, piece and kind, of passes that lie wholly in the trace.
    [[nodiscard]] std::vector<PieceTimes> meanTimes() const {
        std::map<std::tuple<int, int, bool>, std::pair<double, int>> sums; // stage, chunk, forward
        std::map<std::tuple<int, int, bool>, std::pair<double, int>> all;
        for (const ScheduleTask& task : m_result.traced.tasks) {
            const std::tuple key{task.stage, task.chunk, task.kind == TaskKind::Forward};
            const double seconds = task.end - task.start;
            for (auto* sum : {&all, &sums}) {
                if (sum == &sums && isCut(task))
                    continue;
                (*sum)[key].first += seconds;
                ++(*sum)[key].second;
            }
        }
        const auto mean = [&](int stage, int chunk, bool forward) -> std::optional<double> {
            for (const auto* sum : {&sums, &all}) {
                const auto found = sum->find({stage, chunk, forward});
                if (found != sum->end())
                    return found->second.first / found->second.second;
            }
            return std::nullopt;
        };
        // Of a piece that was not traced as of the others.
        const auto meanOfAll = [&](bool forward) {
            std::pair<double, int> sum;
            for (const auto& [key, one] : all) {
                if (std::get<2>(key) == forward)
                    sum = {sum.first + one.first, sum.second + one.second};
            }
            return sum.second > 0 ? sum.first / sum.second : 0.0;
        };
        std::vector<PieceTimes> times;
        for (int piece = 0; piece < pieces(); ++piece) {
            const int stage = piece % stageCount();
            const int chunk = piece / stageCount();
            const double backward = mean(stage, chunk, false).value_or(meanOfAll(false));
            times.push_back(
                {mean(stage, chunk, true).value_or(meanOfAll(true)), backward / 2, backward / 2});
        }
        return times;
    }

    // The first and the last of a stage may have begun before the trace or end after it.
    [[nodiscard]] bool isCut(const ScheduleTask& task) const {
        const auto stage = static_cast<std::size_t>(task.stage);
        const auto& passes = m_passes[stage];
        const bool isFirst = task.start == secondsOf(passes.front().range.begin);
        const bool isLast = task.end == secondsOf(passes.back().range.end);
        const bool missesBegin
            = m_order.extent != PassExtent::Whole && m_order.extent != PassExtent::Begin;
        const bool missesEnd
            = m_order.extent != PassExtent::Whole && m_order.extent != PassExtent::End;
        return (isFirst && missesBegin) || (isLast && missesEnd);
    }

    void plan() {
        if (m_order.microbatches == 0 || m_order.extent == PassExtent::Unknown)
            return;
        auto made = layout::makeSchedule({m_order.kind, stageCount(), m_order.microbatches,
            virtualStages(), meanTimes(), 0.0, m_traces.layout.microbatchGroup});
        if (!made.hasValue()) {
            m_result.notes.push_back("No plan: " + made.error().message);
            return;
        }
        const double shift
            = m_order.extent == PassExtent::End ? m_result.windowTo - made.value().makespan : 0.0;
        for (ScheduleTask& task : made.value().tasks) {
            task.start += shift;
            task.end += shift;
        }
        m_result.idealBubble = layout::idealBubbleFraction(
            m_order.kind, stageCount(), m_order.microbatches, virtualStages());
        m_result.planned = std::move(made).value();
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
        traced.makespan = m_result.windowTo - m_result.windowFrom;
        // The plan of a whole step is done before the window ends: its bubbles are its own.
        std::vector<double> planned;
        if (m_result.planned)
            planned = m_result.isWhole ? m_result.planned->stageBubble : bubbles(*m_result.planned);
        double sum = 0.0;
        double plannedSum = 0.0;
        int count = 0;
        for (std::size_t stage = 0; stage < m_passes.size(); ++stage) {
            StageBubble& bubble = m_result.stages.emplace_back();
            bubble.rank = m_traces.stages[stage].rank;
            if (m_passes[stage].empty())
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
        if (m_order.extent == PassExtent::Begin)
            notes.push_back(fmt::format(
                "The traces show the first {:.3g} s of the step; bubbles are those of this part.",
                length));
        if (m_order.extent == PassExtent::End)
            notes.push_back(fmt::format(
                "The traces show the last {:.3g} s of the step; bubbles are those of this part.",
                length));
        if (m_order.extent == PassExtent::Unknown)
            notes.push_back("The passes come in the order of no known schedule: they have no "
                            "numbers, and there is no plan beside them.");
        else if (m_order.microbatches == 0)
            notes.push_back("The number of micro-batches is not known, so there is no plan.");
    }

    const StageTraces& m_traces;
    const PassOrder& m_order;
    std::vector<std::vector<Pass>> m_passes;
    TracedSchedule m_result;
};

} // namespace

Result<TracedSchedule> tracedSchedule(const store::Store& store, const Run& run,
    std::optional<std::int64_t> iteration, const Progress& progress) {
    const auto traces = readStageTraces(store, run, iteration, progress);
    if (!traces.hasValue())
        return traces.error();
    std::vector<std::vector<Pass>> passes;
    for (const StageTrace& stage : traces.value().stages)
        passes.push_back(stage.passes);
    const auto& layout = traces.value().layout;
    const OrderRequest request{layout.schedule, layout.grid.degrees().pipeline,
        layout.virtualStages, layout.microbatches.value_or(0), layout.microbatchGroup};
    markByOrder(request, passes);
    const PassOrder order = orderOfPasses(request, passes);
    bool any = false;
    for (const auto& stage : passes) {
        any = any || !stage.empty();
        if (std::any_of(stage.begin(), stage.end(),
                [](const Pass& pass) { return pass.mark == Mark::None; }))
            return Error{ErrorCode::NotFound,
                "Neither annotations nor the kernels' names tell forward passes from backward ones "
                "in these traces, and their number is not that of a whole step.",
                run.name};
    }
    if (!any)
        return Error{
            ErrorCode::NotFound, "No kernels of a pass were traced in this iteration.", run.name};
    return Builder(traces.value(), order, std::move(passes)).build();
}

} // namespace trainscope::analysis
