#include "core/analysis/schedule/TracedSchedule.h"

#include "core/analysis/schedule/Pass.h"
#include "core/analysis/schedule/StageTraces.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/layout/ScheduleOrder.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <numeric>

namespace trainscope::analysis {
namespace {

// A traced schedule put together from the numbered passes of its stages: tasks on one axis, the
// plan beside them, and bubbles. Pure; any thread.

struct AssemblyRequest {
    const StageTraces& traces; // without their passes
    const StagePasses& passes;
    const PassOrder& order;
    std::optional<layout::ScheduleKind> plan; // absent: the nearest
};

using layout::PieceTimes;
using layout::Schedule;
using layout::ScheduleKind;
using layout::ScheduleTask;
using layout::TaskKind;

using TaskMeans = ByEnum<TaskKind, 3, RunningMean>;

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
        for (TaskMeans* sums : {&all, &any[piece], isCut[i] ? nullptr : &whole[piece]}) {
            if (sums != nullptr)
                (*sums)[task.kind].add(task.end - task.start);
        }
    }
    const bool isSplit = all[TaskKind::WeightGradient].count > 0;
    std::vector<PieceTimes> times;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        const auto best = [&](TaskKind kind) -> const RunningMean& {
            for (const TaskMeans* sums : {&whole[piece], &any[piece]}) {
                if ((*sums)[kind].count > 0)
                    return (*sums)[kind];
            }
            return all[kind];
        };
        const double backward = best(TaskKind::Backward).value();
        PieceTimes one{best(TaskKind::Forward).value(), backward / 2.0, backward / 2.0};
        if (isSplit) {
            const TaskMeans& own = any[piece][TaskKind::Backward].count > 0 ? any[piece] : all;
            const int passes = own[TaskKind::Backward].count;
            one.inputGradient = backward;
            one.weightGradient = passes > 0 ? own[TaskKind::WeightGradient].sum / passes : 0.0;
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
        return ScheduleKind::Interleaved;
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
            notes.push_back(
                fmt::format("The traces show {} of the step, {}; bubbles are those of this part.",
                    part, text::seconds(length)));
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

using layout::WorkItem;

// The share of the cuts that transfers make which must lie between passes.
constexpr double kLeastPassShare = 0.7;
// The share of the kernels that may be told otherwise than their pass is.
constexpr double kMostContradicted = 0.01;
constexpr double kUsualForward = 1.0 / 3.0; // share of the time of all passes
constexpr double kTie = 1e-3;
// Sizes of three kinds are tried all where that is little work, else those that cuts suggest.
constexpr double kMostTried = 2e6;
constexpr std::size_t kMostOfThree = 1500; // kernels of the passes of a micro-batch

constexpr std::size_t indexOf(TaskKind kind) {
    return static_cast<std::size_t>(kind);
}

// The kernels of a stage held against the order of a schedule, and passes that are cut by it.

// Kernels of a pass, by TaskKind.
using PassSizes = std::array<std::size_t, 3>;

class StageFit {
public:
    StageFit(const std::vector<WorkItem>& order, const std::vector<Pass>& passes)
        : m_order(order) {
        for (const WorkItem& item : order)
            ++m_rounds[indexOf(item.kind)];
        for (const Pass& pass : passes) {
            if (!m_kernels.empty() && pass.afterTransfer)
                m_cuts.push_back(m_kernels.size());
            m_kernels.insert(m_kernels.end(), pass.detail.begin(), pass.detail.end());
        }
        m_isCut.assign(m_kernels.size() + 1, false);
        for (const std::size_t cut : m_cuts)
            m_isCut[cut] = true;
        m_seconds.push_back(0.0);
        for (auto& told : m_told)
            told.push_back(0);
        for (const PassKernel& kernel : m_kernels) {
            m_seconds.push_back(m_seconds.back() + kernel.range.length().seconds());
            for (std::size_t kind = 0; kind < m_told.size(); ++kind)
                m_told[kind].push_back(
                    m_told[kind].back() + (kernel.told && indexOf(*kernel.told) == kind ? 1U : 0U));
        }
    }

    struct Best {
        PassSizes sizes{};
        // Shares: of the moments at which transfers cut, those that lie between passes; of the
        // changes of passes those at which a transfer cuts. 0 without transfers.
        double found = 0.0;
        double met = 0.0;
    };
    // The sizes that explain most cuts and contradict nothing that is told; of equally good ones
    // those with that many kernels in a gradient of the weights (0: none is preferred), then those
    // whose forward passes have about a third of the time. Absent where no sizes explain enough.
    [[nodiscard]] std::optional<Best> best(std::size_t weights) const {
        std::optional<Best> best;
        double bestValue = 0.0;
        for (const PassSizes& sizes : candidates()) {
            const auto score = scoreOf(sizes);
            if (!score)
                continue;
            const bool isPreferred
                = weights > 0 && sizes[indexOf(TaskKind::WeightGradient)] == weights;
            const double value = score->value + (isPreferred ? kTie : 0.0);
            if (best && value <= bestValue)
                continue;
            bestValue = value;
            const auto changes = static_cast<double>(m_order.size() - 1);
            const auto cuts = static_cast<double>(m_cuts.size());
            const auto found = static_cast<double>(score->found);
            best = Best{
                sizes, cuts > 0.0 ? found / cuts : 0.0, changes > 0.0 ? found / changes : 0.0};
        }
        return best;
    }

    [[nodiscard]] std::vector<Pass> passes(const PassSizes& sizes) const {
        std::vector<Pass> result;
        std::size_t at = 0;
        for (const WorkItem& item : m_order) {
            const std::size_t count = sizes[indexOf(item.kind)];
            Pass pass{m_kernels[at].range, item.kind, static_cast<std::int64_t>(count), false,
                m_isCut[at], {}};
            for (std::size_t k = at; k < at + count; ++k)
                pass.range = spanned(pass.range, m_kernels[k].range);
            result.push_back(pass);
            at += count;
        }
        return result;
    }

private:
    struct Score {
        std::size_t found = 0;
        double value = 0.0;
    };

    [[nodiscard]] std::optional<Score> scoreOf(const PassSizes& sizes) const {
        Score score;
        std::size_t at = 0;
        std::size_t contradicted = 0;
        double forward = 0.0;
        for (const WorkItem& item : m_order) {
            score.found += m_isCut[at] ? 1U : 0U;
            const std::size_t end = at + sizes[indexOf(item.kind)];
            if (item.kind == TaskKind::Forward)
                forward += m_seconds[end] - m_seconds[at];
            if (item.kind != TaskKind::Backward) // names do not tell gradients of the weights
                contradicted += toldBetween(TaskKind::Backward, at, end);
            if (item.kind != TaskKind::Forward)
                contradicted += toldBetween(TaskKind::Forward, at, end);
            at = end;
        }
        const auto cuts = static_cast<double>(m_cuts.size());
        const double share = m_cuts.empty() ? 1.0 : static_cast<double>(score.found) / cuts;
        const bool isContradicted = static_cast<double>(contradicted)
            > kMostContradicted * static_cast<double>(m_kernels.size());
        if (share < kLeastPassShare || isContradicted)
            return std::nullopt;
        const double all = m_seconds.back();
        score.value = share - kTie * std::abs((all > 0.0 ? forward / all : 0.0) - kUsualForward);
        return score;
    }

    // All sizes that sum to the kernels there are.
    [[nodiscard]] std::vector<PassSizes> candidates() const {
        const std::size_t rounds = m_rounds[indexOf(TaskKind::Forward)];
        const std::size_t all = rounds == 0 ? 0 : m_kernels.size() / rounds;
        std::vector<PassSizes> result;
        if (rounds == 0 || m_kernels.size() % rounds != 0)
            return result;
        if (m_rounds[indexOf(TaskKind::WeightGradient)] == 0) {
            for (std::size_t forward = 1; forward < all; ++forward)
                result.push_back({forward, all - forward, 0});
            return result;
        }
        if (all > kMostOfThree)
            return result;
        std::set<std::size_t> lengths; // between neighbouring cuts
        for (std::size_t i = 1; i < m_cuts.size(); ++i)
            lengths.insert(m_cuts[i] - m_cuts[i - 1]);
        const double tries = static_cast<double>(all) * static_cast<double>(all)
            * static_cast<double>(m_order.size());
        const auto isSuggested = [&](std::size_t forward, std::size_t backward) {
            return tries <= kMostTried || lengths.contains(all - forward - backward)
                || (lengths.contains(forward) && lengths.contains(backward));
        };
        for (std::size_t forward = 1; forward + 1 < all; ++forward) {
            for (std::size_t backward = 1; forward + backward < all; ++backward) {
                if (isSuggested(forward, backward))
                    result.push_back({forward, backward, all - forward - backward});
            }
        }
        return result;
    }

    [[nodiscard]] std::size_t toldBetween(TaskKind kind, std::size_t from, std::size_t to) const {
        const auto& told = m_told[indexOf(kind)];
        return told[to] - told[from];
    }

    const std::vector<layout::WorkItem>& m_order;
    std::array<std::size_t, 3> m_rounds{}; // passes of the order, by kind
    std::vector<PassKernel> m_kernels;
    std::vector<bool> m_isCut; // before a kernel
    std::vector<std::size_t> m_cuts; // their places
    std::vector<double> m_seconds; // sum over the kernels up to each
    std::array<std::vector<std::size_t>, 2> m_told; // forward, backward kernels up to each
};

// Passes of a whole step that annotations do not tell: cut anew by the order of a schedule. All
// passes of a kind on a stage have equally many kernels; how many is what puts the most of the
// moments at which transfers cut the kernels between passes. Pure; any thread.
struct OrderCut {
    layout::ScheduleKind kind = layout::ScheduleKind::OneForwardOneBackward;
    int microbatches = 0;
    bool isEstimated = false; // the number of micro-batches was not known
};

// The share of the cuts which must lie between passes where less is known than usual.
constexpr double kSureShare = 0.8;

struct PassEvidence {
    bool isUsable = true; // detail everywhere, and no annotations
    bool isTold = false; // some kernel
    std::size_t lastTraced = 0; // stage
};

PassEvidence evidenceOf(const StagePasses& stages) {
    PassEvidence evidence;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (const Pass& pass : stages[stage]) {
            evidence.isUsable = evidence.isUsable && !pass.isAnnotated && pass.hasDetail();
            evidence.isTold = evidence.isTold || pass.kind.has_value();
            evidence.lastTraced = stage;
        }
    }
    return evidence;
}

struct Explained {
    StagePasses passes;
    double found = 1.0; // the worst stage's
    double met = 1.0;

    // Harmonic mean of both.
    [[nodiscard]] double agreement() const {
        return found > 0.0 && met > 0.0 ? 2.0 * found * met / (found + met) : 0.0;
    }
};

// Absent where some stage is not explained.
std::optional<Explained> explained(
    const OrderRequest& request, ScheduleKind kind, int microbatches, const StagePasses& stages) {
    const auto orders = ordersOf(request, kind, microbatches);
    if (orders.empty())
        return std::nullopt;
    Explained result;
    result.passes.resize(stages.size());
    // The first stage hands no gradient on: only the later ones tell where weights begin.
    std::size_t weights = 0;
    for (std::size_t stage = stages.size(); stage-- > 0;) {
        if (stages[stage].empty())
            continue;
        const StageFit fit(orders[stage], stages[stage]);
        const auto best = fit.best(weights);
        if (!best)
            return std::nullopt;
        weights = best->sizes[static_cast<std::size_t>(layout::TaskKind::WeightGradient)];
        result.passes[stage] = fit.passes(best->sizes);
        result.found = std::min(result.found, best->found);
        result.met = std::min(result.met, best->met);
    }
    return result;
}

std::vector<ScheduleKind> kindsToTry(const OrderRequest& request, const PassEvidence& evidence) {
    std::vector<ScheduleKind> kinds;
    if (!evidence.isTold)
        kinds = candidateKinds(request, false);
    // The first stage alone looks the same with weight gradients of their own or without.
    const bool isZero = request.kind == ScheduleKind::ZeroBubble;
    if (request.virtualStages == 1 && (isZero || evidence.lastTraced > 0))
        kinds.insert(isZero ? kinds.begin() : kinds.end(), ScheduleKind::ZeroBubble);
    return kinds;
}

// Numbers of micro-batches by which the kernels of all traced stages can be divided.
std::vector<int> possibleCounts(const OrderRequest& request, const StagePasses& stages) {
    std::size_t common = 0;
    for (const auto& passes : stages) {
        std::size_t kernels = 0;
        for (const Pass& pass : passes)
            kernels += pass.detail.size();
        common = std::gcd(common, kernels);
    }
    constexpr std::size_t kMost = 4096;
    const auto pieces = static_cast<std::size_t>(request.virtualStages);
    std::vector<int> counts;
    for (std::size_t count = 1; count * pieces * 2 <= common && count <= kMost; ++count) {
        if (common % (count * pieces) == 0)
            counts.push_back(static_cast<int>(count));
    }
    return counts;
}

// Replaces passes by those of one schedule that explains them, where every pass of every traced
// stage has its kernels' detail and none is annotated. All schedules are tried where nothing tells
// any kernel; where names tell some, only zero-bubble ones, whose weight gradients names do not
// tell. Absent, and the passes as they were, where none explains them.
std::optional<OrderCut> cutByOrder(const OrderRequest& request, StagePasses& stages) {
    const PassEvidence evidence = evidenceOf(stages);
    if (!evidence.isUsable)
        return std::nullopt;
    const bool isKnown = request.microbatches > 0;
    const auto counts
        = isKnown ? std::vector{request.microbatches} : possibleCounts(request, stages);
    std::optional<Explained> best;
    OrderCut cut;
    for (const ScheduleKind kind : kindsToTry(request, evidence)) {
        for (const int count : counts) {
            auto made = explained(request, kind, count, stages);
            const bool mustBeSure = !isKnown || evidence.isTold;
            if (!made || (mustBeSure && made->found < kSureShare))
                continue;
            // The simpler and likelier kinds come first: a later one must be better.
            if (best && made->agreement() <= best->agreement() + 1e-9)
                continue;
            best = std::move(made);
            cut = {kind, count, !isKnown};
        }
    }
    constexpr double kLeastMet = 0.4; // not every change of passes comes with a transfer
    if (!best || (!isKnown && best->met < kLeastMet))
        return std::nullopt;
    stages = std::move(best->passes);
    return cut;
}

// Passes with their kinds and numbers, and what these rest on.
struct ReadPasses {
    StagePasses passes;
    PassOrder order;
    std::string basis;
    bool isEstimated = false;
};

OrderRequest requestOf(const layout::Layout& layout) {
    return {layout.schedule, layout.grid.degrees().pipeline, layout.microbatches.value_or(0),
        layout.virtualStages, {}, 0.0, layout.microbatchGroup};
}

std::int64_t kernelsOf(const std::vector<Pass>& passes) {
    return summed<std::int64_t>(passes, &Pass::kernels);
}

std::optional<ReadPasses> readByNames(const OrderRequest& request, const StagePasses& cut) {
    StagePasses passes;
    bool any = false;
    for (const auto& stage : cut) {
        passes.push_back(numberedPasses(stage));
        // Annotations that only look like those of passes are around little.
        if (2 * kernelsOf(passes.back()) < kernelsOf(stage))
            return std::nullopt;
        any = any || !stage.empty();
    }
    auto order = any ? orderByNames(request, passes) : std::nullopt;
    if (!order)
        return std::nullopt;
    return ReadPasses{
        std::move(passes), std::move(*order), "Passes and their numbers by annotations", false};
}

std::optional<ReadPasses> readByOrder(const OrderRequest& request, const StagePasses& cut) {
    ReadPasses read{cut, {}, "Passes by the transfers between the stages and the order of ", false};
    const auto found = cutByOrder(request, read.passes);
    if (!found)
        return std::nullopt;
    OrderRequest known = request;
    known.kind = found->kind;
    known.microbatches = found->microbatches;
    read.order = orderOfPasses(known, read.passes);
    read.basis += titleOf(found->kind);
    read.isEstimated = found->isEstimated;
    return read;
}

ReadPasses readByKinds(const OrderRequest& request, const StagePasses& cut, std::string basis) {
    ReadPasses read{{}, {}, "Passes by " + std::move(basis), false};
    const auto expected = std::int64_t{request.microbatches} * request.virtualStages;
    for (auto passes : cut) {
        foldRecomputation(passes);
        read.passes.push_back(joinedPasses(std::move(passes), expected));
    }
    read.order = orderOfPasses(request, read.passes);
    return read;
}

Error untold(const OrderRequest& request, const Run& run) {
    return {ErrorCode::NotFound,
        fmt::format("Neither annotations nor the kernels' names tell forward passes from backward "
                    "ones in these traces, and {}",
            request.microbatches > 0
                ? fmt::format("no schedule of {} micro-batches explains the transfers between the "
                              "stages.",
                    request.microbatches)
                : std::string("the number of micro-batches, which is not known, cannot be "
                              "estimated from the transfers between the stages: import the launch "
                              "configuration (global batch, micro-batch and data parallelism) or "
                              "enter the layout by hand.")),
        run.name};
}

Result<ReadPasses> readPasses(const StageTraces& traces, const StagePasses& cut, const Run& run) {
    const OrderRequest request = requestOf(traces.layout);
    bool any = false;
    bool isTold = true;
    for (const auto& stage : cut) {
        any = any || !stage.empty();
        isTold = isTold
            && std::ranges::all_of(stage, [](const Pass& pass) { return pass.kind.has_value(); });
    }
    if (!any)
        return Error{
            ErrorCode::NotFound, "No kernels of a pass were traced in this iteration.", run.name};
    if (auto read = readByNames(request, cut))
        return std::move(*read);
    if (auto read = readByOrder(request, cut))
        return std::move(*read);
    if (!isTold)
        return untold(request, run);
    return readByKinds(request, cut, std::string(traces.evidence));
}

} // namespace

Result<TracedSchedule> tracedSchedule(const RunStudy& study, const TraceQuery& query) {
    ASSIGN_OR_RETURN(auto traces, readStageTraces(study, query.iteration));
    StagePasses cut;
    for (StageTrace& stage : traces.stages)
        cut.push_back(std::move(stage.passes));
    ASSIGN_OR_RETURN(const auto read, readPasses(traces, cut, study.run));
    const auto& [passes, order, basis, isEstimated] = read;
    TracedSchedule schedule = Assembly({traces, passes, order, query.plan}).build();
    schedule.basis = basis + "; layout from " + traces.layoutWording;
    schedule.isEstimated = isEstimated;
    if (isEstimated)
        schedule.notes.push_back(fmt::format(
            "The number of micro-batches, {}, is an estimate: it explains the transfers between "
            "the stages best. The launch configuration would tell it.",
            order.microbatches));
    return schedule;
}

std::string planSentence(const TracedSchedule& schedule) {
    if (schedule.plans.empty())
        return {};
    const PlanFit& nearest = schedule.plans.front();
    std::string text;
    if (schedule.isKnownOrder)
        text = fmt::format("The passes come in the order of {}", titleOf(nearest.kind));
    else if (nearest.sameOrder)
        text = fmt::format("The passes come in the order of no known schedule; the nearest is {} "
                           "({} of the pairs of passes in its order)",
            titleOf(nearest.kind), text::percent(*nearest.sameOrder));
    else
        text = fmt::format("The passes come in the order of no known schedule; the nearest by the "
                           "length of the step is {}",
            titleOf(nearest.kind));
    const double longer = schedule.traced.makespan / nearest.makespan - 1.0;
    return text
        + fmt::format("; they take {}, {} {} than its plan with the same durations ({}).",
            text::seconds(schedule.traced.makespan), text::percent(std::abs(longer)),
            longer >= 0.0 ? "longer" : "shorter", text::seconds(nearest.makespan));
}

} // namespace trainscope::analysis
