#include "core/figures/comparison/CurveFolds.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/Means.h"
#include "core/model/Try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace trainscope::figures {

using namespace plot;

namespace {

// Most GPUs × iterations laid over each other; more iterations are thinned out evenly, so that
// memory stays small.
constexpr std::size_t kMostTogether = 16'384;
constexpr std::size_t kLeastFolded = 16;
constexpr std::size_t kMostFolded = 256;

std::vector<Iteration> thinned(std::vector<Iteration> all, int gpus) {
    const std::size_t most = std::clamp(
        kMostTogether / static_cast<std::size_t>(std::max(gpus, 1)), kLeastFolded, kMostFolded);
    if (all.size() <= most)
        return all;
    std::vector<Iteration> kept;
    for (std::size_t i = 0; i < most; ++i)
        kept.push_back(all[i * (all.size() - 1) / (most - 1)]);
    return kept;
}

double medianSeconds(const std::vector<Iteration>& iterations) {
    std::vector<double> lengths;
    for (const auto& iteration : iterations)
        lengths.push_back(iteration.range.length().seconds());
    return analysis::upperMedian(std::move(lengths));
}

double movedOf(const ComparisonQuery& query, std::size_t run) {
    return run < query.moved.size() ? query.moved[run].seconds() : 0.0;
}

Result<Fold> foldOf(
    const ComparisonContext& context, std::size_t run, ComparisonAlignment alignment) {
    Fold fold{run, {}, 0, 0.0, movedOf(context.query, run), true};
    if (alignment == ComparisonAlignment::Start) {
        const auto& measured = *context.measured[run];
        const TimeRange range
            = measured.capture.empty() ? measured.run.range : measured.window.window;
        if (!range.isEmpty())
            fold.iterations.push_back({0, range, -1, false});
    } else {
        const bool one = alignment == ComparisonAlignment::Iteration;
        ASSIGN_OR_RETURN(auto iterations,
            iterationsFor(
                context, run, one ? std::optional(context.query.iteration) : std::nullopt));
        fold.outOf = iterations.size();
        fold.iterations = thinned(std::move(iterations), context.measured[run]->run.gpuCount);
    }
    if (!fold.iterations.empty())
        fold.seconds = medianSeconds(fold.iterations);
    return fold;
}

// A run without iterations: from the begin of its window, as long as the longest of the others.
Fold stretchOfTime(const ComparisonContext& context, std::size_t run, double seconds) {
    const auto& measured = *context.measured[run];
    Fold fold{run, {}, 0, 0.0, movedOf(context.query, run), false};
    const TimeRange window
        = measured.window.window.isEmpty() ? measured.run.range : measured.window.window;
    const TimeNs end = window.begin + DurationNs{std::llround(seconds * 1e9)};
    const TimeRange range{window.begin, std::min(end, window.end)};
    if (!range.isEmpty()) {
        fold.iterations.push_back({0, range, -1, false});
        fold.seconds = range.length().seconds();
    }
    return fold;
}

Result<Folds> foldsBy(const ComparisonContext& context, ComparisonAlignment alignment) {
    Folds folds{{}, alignment};
    for (std::size_t run = 0; run < context.measured.size(); ++run) {
        ASSIGN_OR_RETURN(auto fold, foldOf(context, run, alignment));
        folds.runs.push_back(std::move(fold));
    }
    return folds;
}

// "8, 32 of 400"
std::string foldedText(const std::vector<Fold>& folds) {
    std::vector<std::string> counts;
    std::vector<std::size_t> sizes;
    for (const auto& fold : folds) {
        if (!fold.isIteration)
            continue;
        const std::size_t count = fold.iterations.size();
        sizes.push_back(count);
        counts.push_back(fold.outOf > count ? fmt::format("{} of {}", count, fold.outOf)
                                            : fmt::format("{}", count));
    }
    const bool isSame = std::all_of(
        counts.begin(), counts.end(), [&](const auto& one) { return one == counts.front(); });
    if (isSame && !counts.empty())
        counts.resize(1);
    if (counts.size() > kFewRuns) {
        const auto [fewest, most] = std::minmax_element(sizes.begin(), sizes.end());
        return fmt::format("{} to {}", *fewest, *most);
    }
    return fmt::format("{}{}", isSame && folds.size() > 1 ? "each " : "", fmt::join(counts, ", "));
}

} // namespace

Result<Folds> foldsOf(const ComparisonContext& context, std::vector<RunsNote>& notes) {
    auto folds = foldsBy(context, context.query.alignment);
    if (!folds.hasValue() || context.query.alignment == ComparisonAlignment::Start)
        return folds;
    const bool isOne = context.query.alignment == ComparisonAlignment::Iteration;
    const std::string what = isOne ? fmt::format("no iteration {}", context.query.iteration)
                                   : std::string("no iterations");
    double longest = 0.0;
    for (const auto& fold : folds.value().runs)
        longest = std::max(longest, fold.seconds);
    if (longest <= 0.0) {
        for (std::size_t run = 0; run < context.measured.size(); ++run)
            addNote(notes, run, what + "; curves show the runs whole, from their starts.");
        return foldsBy(context, ComparisonAlignment::Start);
    }
    for (auto& fold : folds.value().runs) {
        if (!fold.iterations.empty())
            continue;
        addNote(notes, fold.run,
            isOne ? what + ", so there is no curve."
                  : what + "; its curve begins where its window does, and has no spread.");
        if (!isOne)
            fold = stretchOfTime(context, fold.run, longest);
    }
    std::erase_if(folds.value().runs, [](const Fold& fold) { return fold.iterations.empty(); });
    return folds;
}

std::string foldWording(const Folds& folds, bool stretched) {
    const std::string length = stretched ? ", stretched to one length" : ", to their median length";
    if (folds.alignment == ComparisonAlignment::Start)
        return "mean of the GPUs and 5–95 % band, aligned at the start"
            + (stretched ? length : std::string());
    if (folds.alignment == ComparisonAlignment::Iteration)
        return "mean of the GPUs and 5–95 % band, aligned at the start of the iteration"
            + (stretched ? length : std::string());
    return fmt::format(
        "mean and 5–95 % band of GPUs and iterations, aligned at the start of each iteration ({} "
        "laid over each other){}",
        foldedText(folds.runs), length);
}

Result<std::vector<Iteration>> iterationsFor(
    const ComparisonContext& context, std::size_t run, std::optional<std::int64_t> one) {
    const auto& measured = *context.measured[run];
    std::vector<Iteration> found;
    for (const auto& figures : measured.iterations) {
        if (!one || figures.iteration.index == *one)
            found.push_back(figures.iteration);
    }
    if (!one || !found.empty() || !measured.capture.empty())
        return found;
    // One that does not count: warm-up, or before the temperatures have settled.
    ASSIGN_OR_RETURN(const auto all, analysis::iterationsOf(context.studies.of(measured.run)));
    for (const auto& iteration : all.iterations) {
        if (iteration.index == *one)
            found.push_back(iteration);
    }
    return found;
}

} // namespace trainscope::figures
