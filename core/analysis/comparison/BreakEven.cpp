#include "core/analysis/comparison/Reasons.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr double kFarthest = 100.0; // times as much or as little: beyond that nobody builds

// Cost of a token, of which a share shrinks.
std::optional<ShrinkingCost> sideOf(
    const RunMeasures& run, std::string_view by, const std::optional<double>& share) {
    const auto figure = run.value(by);
    if (!figure || *figure <= 0.0 || !share)
        return std::nullopt;
    return ShrinkingCost{(1.0 - *share) / *figure, *share / *figure};
}

// Exposed transfers between nodes, share of the step.
std::optional<double> betweenNodes(const RunMeasures& run) {
    if (run.nodes == 1)
        return 0.0;
    if (!run.speaksForSteps())
        return std::nullopt;
    double seconds = 0.0;
    double unknown = 0.0;
    for (const ExposedCommunication& one : run.traced->exposed) {
        seconds += one.link == LinkClass::ScaleOut ? one.transferS() : 0.0;
        unknown += one.link == LinkClass::Unknown ? one.transferS() : 0.0;
    }
    if (unknown > seconds)
        return std::nullopt;
    return std::clamp(seconds / run.traced->all.seconds, 0.0, 1.0);
}

// Share of a step that its batch does not lengthen, traced: the optimizer, and the exposed exchange
// of gradients and parameters.
double oncePerStep(const RunMeasures& run) {
    double seconds = 0.0;
    for (const BreakdownPart& part : run.traced->all.parts)
        seconds += part.category == "optimizer" ? part.seconds : 0.0;
    for (const ExposedCommunication& one : run.traced->exposed)
        seconds += one.dimension == "dp" || one.dimension == "dp_cp" || one.dimension == "edp"
            ? one.transferS()
            : 0.0;
    return seconds / run.traced->all.seconds;
}

// The power of a waiting GPU against its mean one: at least what it never falls below.
double idlePower(const RunMeasures& run) {
    const auto found = run.summary.metrics.find(metric::kGpuPower);
    if (found == run.summary.metrics.end())
        return 1.0;
    const auto& all = found->second.all;
    return all.min && all.mean && *all.mean > 0.0 ? std::clamp(*all.min / *all.mean, 0.0, 1.0)
                                                  : 1.0;
}

// The share of a step that its batch does not lengthen.
std::optional<double> batchShare(const RunMeasures& run, std::string_view by, bool withTraces) {
    const auto microbatches = run.microbatches();
    if (!microbatches)
        return std::nullopt;
    // Virtual stages fill a pipeline as so many more micro-batches do.
    const double fill = run.layout->grid.degrees().pipeline - 1.0;
    const double bubble = fill / (*microbatches * run.layout->virtualStages + fill);
    const double idle = by == kTokensPerJoule ? idlePower(run) : 1.0;
    // The bubble is a share of the rest of the step.
    const double once = withTraces ? std::min(oncePerStep(run), 1.0) : 0.0;
    return once + (1.0 - once) * bubble * idle;
}

bool isReal(const std::optional<double>& factor) {
    return factor && *factor <= kFarthest && *factor >= 1.0 / kFarthest;
}

// Distance between the two now, and without the part that shrinks.
std::string farText(const ShrinkingCost& a, const ShrinkingCost& b) {
    if (a.fixed <= 0.0 || b.fixed <= 0.0)
        return {};
    return fmt::format("{:.3g} × apart now, {:.3g} × without that time",
        text::worded(std::max(a.cost(1.0), b.cost(1.0)) / std::min(a.cost(1.0), b.cost(1.0))),
        text::worded(std::max(a.fixed, b.fixed) / std::min(a.fixed, b.fixed)));
}

std::optional<double> scaledBandwidth(const RunMeasures& run, double factor) {
    return run.traced && run.traced->betweenNodesBandwidth
        ? std::optional(*run.traced->betweenNodesBandwidth * factor)
        : std::nullopt;
}

// " (16 × H100: 5.56 GB/s in place of 1.19 GB/s in its collectives)"
std::string ratesText(const RunMeasures& a, const RunMeasures& b, double factor) {
    const Labels labels(a, b);
    std::string text;
    for (const auto& [run, label] : {std::pair{&a, &labels.a}, std::pair{&b, &labels.b}}) {
        if (const auto rate = scaledBandwidth(*run, factor))
            text += fmt::format("{}{}: {} in place of {}", text.empty() ? " (" : "; ", *label,
                text::rounded(*rate, "B/s"),
                text::rounded(*run->traced->betweenNodesBandwidth, "B/s"));
    }
    return text.empty() ? text : text + " in collectives)";
}

bool hasUnmatched(const RunMeasures& run) {
    return run.traced
        && std::ranges::any_of(run.traced->exposed, [](const ExposedCommunication& one) {
               return one.link == LinkClass::ScaleOut && one.seconds > 0.0 && !one.waitS;
           });
}

std::string bandwidthModel(const RunMeasures& a, const RunMeasures& b, std::string_view by) {
    std::string text = " Estimate: exposed transfers between nodes take as much less time as the "
                       "network is faster, all else stays";
    if (by == kTokensPerJoule)
        text += ", the power too";
    if (hasUnmatched(a) || hasUnmatched(b))
        text += "; waiting that could not be told from transfers is taken for them";
    return text + ".";
}

void addBandwidth(Verdict& verdict, const RunMeasures& a, const RunMeasures& b) {
    const auto first = sideOf(a, verdict.by, betweenNodes(a));
    const auto second = sideOf(b, verdict.by, betweenNodes(b));
    Statement out{{}, "inter_node_bandwidth", {}, {}, true};
    if (!first || !second) {
        out.text = "At which bandwidth between nodes the verdict would turn cannot be told: that "
                   "takes traces of whole steps of both, with their process groups.";
        out.isEstimate = false;
    } else if (first->scaled + second->scaled <= 0.0) {
        out.text = "No bandwidth between nodes would turn the verdict: neither run waits for a "
                   "transfer between nodes.";
        out.isEstimate = false;
    } else if (const auto factor = breakEvenAt(*first, *second); isReal(factor)) {
        out.a = scaledBandwidth(a, *factor);
        out.b = scaledBandwidth(b, *factor);
        if (!out.a && !out.b) {
            out.quantity = "inter_node_bandwidth_factor";
            out.a = out.b = factor;
        }
        out.text = fmt::format("The two would be even with networks between nodes {:.3g} × as fast "
                               "as now{}; {} that the verdict turns.{}",
            text::worded(*factor), ratesText(a, b, *factor), *factor > 1.0 ? "beyond" : "below",
            bandwidthModel(a, b, verdict.by));
    } else {
        out.text = fmt::format("No network between nodes up to {:.0f} × as fast or as slow as now "
                               "would turn the verdict ({}).{}",
            kFarthest, farText(*first, *second), bandwidthModel(a, b, verdict.by));
    }
    verdict.statements.push_back(std::move(out));
}

std::string batchModel(bool withTraces, std::string_view by) {
    std::string text = " Estimate: a larger batch is more micro-batches, beside which pipeline "
                       "bubbles of (p−1)/(m+p−1)";
    if (withTraces)
        text += ", the optimizer and the exposed exchange of gradients";
    text += " stay as long";
    if (by == kTokensPerJoule)
        text += "; in bubbles a GPU draws the least it was seen to";
    return text + ".";
}

void addBatch(Verdict& verdict, const RunMeasures& a, const RunMeasures& b) {
    const bool withTraces = a.speaksForSteps() && b.speaksForSteps();
    const auto first = sideOf(a, verdict.by, batchShare(a, verdict.by, withTraces));
    const auto second = sideOf(b, verdict.by, batchShare(b, verdict.by, withTraces));
    Statement out{{}, "global_batch", {}, {}, true};
    if (!first || !second || !a.run.launch.globalBatch) {
        out.text = "At which global batch the verdict would turn cannot be told: that takes the "
                   "layouts and micro-batches of both.";
        out.isEstimate = false;
        verdict.statements.push_back(std::move(out));
        return;
    }
    const double batch = *a.run.launch.globalBatch;
    const auto factor = breakEvenAt(*first, *second);
    const bool isPossible
        = isReal(factor) && *factor * std::min(*a.microbatches(), *b.microbatches()) >= 1.0;
    if (isPossible) {
        out.a = out.b = *factor * batch;
        out.text = fmt::format("The two would be even at a global batch of about {:.0f} (now "
                               "{:.0f}); {} that the verdict turns.{}",
            *factor * batch, batch, *factor > 1.0 ? "beyond" : "below",
            batchModel(withTraces, verdict.by));
    } else {
        out.text = fmt::format("No global batch up to {:.0f} × as large as now would turn the "
                               "verdict ({}).{}",
            kFarthest, farText(*first, *second), batchModel(withTraces, verdict.by));
    }
    verdict.statements.push_back(std::move(out));
}

} // namespace

std::optional<double> breakEvenAt(const ShrinkingCost& a, const ShrinkingCost& b) {
    const double below = a.fixed - b.fixed;
    if (below == 0.0)
        return std::nullopt;
    const double x = (b.scaled - a.scaled) / below;
    return std::isfinite(x) && x > 0.0 ? std::optional(x) : std::nullopt;
}

void addBreakEvenPoints(Verdict& verdict, const RunMeasures& a, const RunMeasures& b) {
    addBandwidth(verdict, a, b);
    addBatch(verdict, a, b);
}

} // namespace trainscope::analysis
