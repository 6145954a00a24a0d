#include "core/analysis/iterations/Goodput.h"

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Names.h"
#include "core/text/Times.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

// Parts of names, the telling ones first: "save_checkpoint", "validation data".
constexpr std::pair<std::string_view, JobPart> kJobStretches[]{{"checkpoint", JobPart::Checkpoint},
    {"ckpt", JobPart::Checkpoint}, {"save", JobPart::Checkpoint}, {"saving", JobPart::Checkpoint},
    {"eval", JobPart::Evaluation}, {"valid", JobPart::Evaluation}, {"test", JobPart::Evaluation},
    {"init", JobPart::Startup}, {"startup", JobPart::Startup}, {"compil", JobPart::Startup},
    {"data", JobPart::DataLoading}, {"loading", JobPart::DataLoading}};

// The log's own times leave out pauses whose length it does not say.
Result<bool> hasUntoldPauses(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto sources, study.store.sources());
    return std::ranges::any_of(sources, [&study](const store::Source& one) {
        return std::ranges::find(one.runs, study.run.id) != one.runs.end()
            && one.report.counts.contains("pauses of unknown length")
            && !one.report.facts.contains("placed_at_ns");
    });
}

Result<Goodput> findGoodput(const RunStudy& study) {
    Goodput none;
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    ASSIGN_OR_RETURN(const bool areUntold, hasUntoldPauses(study));
    if (study.run.kind == RunKind::Predicted)
        none.whyNone = "It is predicted: its steps are all that there is.";
    else if (iterations.basis != IterationBasis::Recorded || !iterations.byRank.contains(-1))
        none.whyNone = "No log, tracker or mark tells the steps of the whole job.";
    else if (areUntold)
        none.whyNone = "The log does not say how long the pauses between its steps were.";
    if (!none.whyNone.empty())
        return none;
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(const auto stretches, namedPhasesOf(study.store, tracks, true));
    TimeRange range = study.run.range; // a sample takes no time
    range.end = std::max(range.begin, range.end - DurationNs{1});
    return goodputFrom(range, iterations.iterations, stretches);
}

} // namespace

std::optional<JobPart> jobPartOf(std::string_view name) {
    const std::string lower = lowered(name);
    const auto* const found = std::ranges::find_if(kJobStretches,
        [&lower](const auto& one) { return lower.find(one.first) != std::string::npos; });
    return found == std::end(kJobStretches) ? std::nullopt : std::optional(found->second);
}

Goodput goodputFrom(
    TimeRange run, std::span<const Iteration> steps, std::span<const NamedPhase> stretches) {
    Goodput made;
    TimeRange wall = run.isEmpty() ? kNoTime : run;
    std::vector<std::int64_t> lengths;
    for (const Iteration& one : steps) {
        wall = spanned(wall, one.range);
        if (!one.warmup)
            lengths.push_back(one.range.length().ns);
    }
    if (steps.empty() || wall.isEmpty()) {
        made.whyNone = "No step has a time.";
        return made;
    }
    made.wallS = wall.length().seconds();
    const double usual
        = lengths.empty() ? made.wallS : 1e-9 * static_cast<double>(upperMedian(lengths));
    std::vector<std::int64_t> leastBehind(
        steps.size() + 1, std::numeric_limits<std::int64_t>::max());
    for (std::size_t i = steps.size(); i-- > 0;)
        leastBehind[i] = std::min(leastBehind[i + 1], steps[i].index);

    // Steps and what lies between them, in order and without gaps.
    std::vector<TimeRange> windows;
    std::vector<std::pair<JobPart, double>> parts; // and the most of it; the rest is startup
    const auto take = [&](TimeNs end, JobPart part, double most) {
        const TimeNs at = windows.empty() ? wall.begin : windows.back().end;
        windows.push_back({at, std::max(at, end)});
        parts.emplace_back(part, most);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool isBack = i > 0 && steps[i].index <= steps[i - 1].index;
        const bool isRepeated = leastBehind[i + 1] <= steps[i].index;
        made.restarts += isBack ? 1 : 0;
        made.repeats += isRepeated ? 1 : 0;
        take(steps[i].range.begin,
            i == 0       ? JobPart::Startup
                : isBack ? JobPart::Restart
                         : JobPart::Idle,
            made.wallS);
        take(steps[i].range.end, isRepeated ? JobPart::Repeated : JobPart::Counted,
            steps[i].warmup && !isRepeated ? usual : made.wallS);
    }
    take(wall.end, JobPart::Idle, made.wallS);

    // Time that two names claim is of the first of these parts.
    std::vector<TimeRange> named;
    std::vector<double> within(windows.size(), 0.0);
    for (const JobPart part :
        {JobPart::Evaluation, JobPart::Checkpoint, JobPart::DataLoading, JobPart::Startup}) {
        for (const NamedPhase& one : stretches) {
            if (jobPartOf(one.name) == part)
                named.push_back(one.range);
        }
        named = united(std::move(named));
        const auto before = std::exchange(within, gpuSecondsIn(windows, named));
        for (std::size_t i = 0; i < windows.size(); ++i)
            made.seconds[part] += within[i] - before[i];
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const double left = windows[i].length().seconds() - within[i];
        made.seconds[parts[i].first] += std::min(left, parts[i].second);
        made.seconds[JobPart::Startup] += std::max(0.0, left - parts[i].second);
    }
    return made;
}

std::string goodputText(const Goodput& goodput) {
    constexpr double kLeastTold = 1e-3; // share of the wall time
    std::vector<JobPart> parts(kJobParts.begin() + 1, kJobParts.end());
    std::ranges::stable_sort(
        parts, std::greater(), [&](JobPart part) { return goodput.seconds[part]; });
    std::vector<std::string> lost;
    for (const JobPart part : parts) {
        if (goodput.seconds[part] >= kLeastTold * goodput.wallS)
            lost.push_back(std::string(titleOf(part)) + " " + text::seconds(goodput.seconds[part]));
    }
    return fmt::format("Steps that counted took {} of the job's {}{}{}",
        text::roundedPercent(goodput.share()), text::seconds(goodput.wallS),
        lost.empty() ? "" : "; ", text::joined(lost));
}

Result<Goodput> goodputOf(const RunStudy& study) {
    return study.once(findGoodput);
}

} // namespace trainscope::analysis
