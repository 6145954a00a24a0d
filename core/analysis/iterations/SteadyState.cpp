#include "core/analysis/iterations/SteadyState.h"

#include "core/analysis/telemetry/Temperature.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr double kLeastShare = 0.1; // share of the run that iterations must cover to speak for it

// Iterations that are left when those before `from` go too.
struct Chosen {
    std::int64_t warmup = 0;
    std::int64_t unsettled = 0;
    std::vector<Iteration> steady;
};

Chosen chosenOf(const std::vector<Iteration>& iterations, const std::optional<TimeNs>& from) {
    Chosen out;
    for (const Iteration& one : iterations) {
        if (one.warmup)
            ++out.warmup;
        else if (from && one.range.begin < *from)
            ++out.unsettled;
        else
            out.steady.push_back(one);
    }
    return out;
}

std::string settlingText(const RunSettling& settling) {
    if (settling.from || settling.gpus == 0)
        return {};
    return settling.gpus == 1
        ? "; the GPU's temperature never settled, or has too few samples to tell"
        : fmt::format("; the temperatures of {} of {} GPUs never settled, or have too few samples "
                      "to tell",
            settling.unsettled, settling.gpus);
}

std::string leftOut(const Chosen& chosen) {
    std::string text;
    if (chosen.warmup > 0)
        text = std::to_string(chosen.warmup) + " of warm-up";
    if (chosen.unsettled > 0)
        text += (text.empty() ? "" : " and ") + std::to_string(chosen.unsettled)
            + " before the temperatures settled";
    return text.empty() ? "none is left out" : text + " left out";
}

SteadyState byIterations(
    const RunIterations& iterations, const RunSettling& settling, const Run& run) {
    Chosen chosen = chosenOf(iterations.iterations, settling.from);
    std::string late;
    if (chosen.steady.empty()) {
        chosen = chosenOf(iterations.iterations, std::nullopt);
        late = "; the temperatures settled only after the last of them began";
    }
    SteadyState out;
    out.warmupIterations = chosen.warmup;
    out.unsettledIterations = chosen.unsettled;
    out.iterations = static_cast<std::int64_t>(chosen.steady.size());
    if (chosen.steady.empty()) {
        out.window = run.range;
        out.wording = "the whole run: all of its iterations are warm-up";
        return out;
    }
    TimeNs end = chosen.steady.front().range.end;
    for (const Iteration& one : chosen.steady)
        end = std::max(end, one.range.end);
    out.window = {chosen.steady.front().range.begin, end};
    out.basis = SteadyBasis::Iterations;
    out.isWholeRun = false;
    out.wording = (out.iterations == 1 ? "iteration " : "iterations ")
        + std::to_string(chosen.steady.front().index)
        + (out.iterations == 1 ? "" : " to " + std::to_string(chosen.steady.back().index)) + " (by "
        + iterations.origin + "); " + leftOut(chosen) + late + settlingText(settling);
    return out;
}

std::string whyNoIterations(const RunIterations& iterations) {
    return iterations.iterations.empty() ? iterations.origin
                                         : "iterations were recorded of a small part of it only";
}

SteadyState bySettling(
    const RunIterations& iterations, const RunSettling& settling, const Run& run) {
    SteadyState out;
    out.window = run.range;
    const bool leavesSome = settling.from && *settling.from < run.range.end;
    if (!leavesSome) {
        out.wording = "the whole run: " + whyNoIterations(iterations) + settlingText(settling);
        return out;
    }
    out.isWholeRun = *settling.from <= run.range.begin;
    out.basis = out.isWholeRun ? SteadyBasis::WholeRun : SteadyBasis::Settling;
    out.window.begin = std::max(run.range.begin, *settling.from);
    out.wording = std::string(out.isWholeRun
                          ? "the whole run: its temperatures are settled from the first sample"
                          : "from when the temperatures had settled to the end")
        + "; warm-up cannot be told (" + whyNoIterations(iterations) + ")";
    return out;
}

Result<SteadyState> findSteadyState(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    ASSIGN_OR_RETURN(const auto settling, runSettling(study));
    const bool speakForTheRun = recordedShare(iterations, study.run) >= kLeastShare;
    SteadyState out = speakForTheRun ? byIterations(iterations, settling, study.run)
                                     : bySettling(iterations, settling, study.run);
    out.settledFrom = settling.from;
    return out;
}

} // namespace

Result<SteadyState> steadyStateOf(const RunStudy& study) {
    return study.once(findSteadyState);
}

} // namespace trainscope::analysis
