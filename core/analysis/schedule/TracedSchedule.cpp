#include "core/analysis/schedule/TracedSchedule.h"

#include "core/analysis/schedule/Pass.h"
#include "core/analysis/schedule/ScheduleAssembly.h"
#include "core/analysis/schedule/StageFit.h"
#include "core/model/Try.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

// Passes with their kinds and numbers, and what these rest on.
struct ReadPasses {
    StagePasses passes;
    PassOrder order;
    std::string basis;
    bool isEstimated = false;
};

OrderRequest requestOf(const layout::Layout& layout) {
    return {layout.schedule, layout.grid.degrees().pipeline, layout.virtualStages,
        layout.microbatches.value_or(0), layout.microbatchGroup};
}

std::int64_t kernelsOf(const std::vector<Pass>& passes) {
    std::int64_t count = 0;
    for (const Pass& pass : passes)
        count += pass.kernels;
    return count;
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
            && std::all_of(stage.begin(), stage.end(), [](const Pass& pass) { return pass.kind; });
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

std::string secondsText(double seconds) {
    constexpr double kMilli = 1e3;
    return seconds < 1.0 ? fmt::format("{:.4g} ms", text::worded(seconds * kMilli))
                         : fmt::format("{:.4g} s", text::worded(seconds));
}

} // namespace

Result<TracedSchedule> tracedSchedule(const RunStudy& study, const TraceQuery& query) {
    ASSIGN_OR_RETURN(auto traces, readStageTraces(study, query.iteration));
    StagePasses cut;
    for (StageTrace& stage : traces.stages)
        cut.push_back(std::move(stage.passes));
    ASSIGN_OR_RETURN(const auto read, readPasses(traces, cut, study.run));
    const auto& [passes, order, basis, isEstimated] = read;
    TracedSchedule schedule = assembleSchedule({traces, passes, order, query.plan});
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
            secondsText(schedule.traced.makespan), text::percent(std::abs(longer)),
            longer >= 0.0 ? "longer" : "shorter", secondsText(nearest.makespan));
}

} // namespace trainscope::analysis
