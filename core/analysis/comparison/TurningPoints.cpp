// Where the verdict would turn.
#include "core/analysis/comparison/Reasons.h"
#include "core/analysis/comparison/Turning.h"
#include "core/analysis/findings/FindingText.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace trainscope::analysis {

namespace {

// Exposed communication between nodes, seconds of the step.
std::optional<double> betweenNodes(const RunMeasures& run) {
    const auto step = run.value("step_time_s");
    if (!step || (run.nodes != 1 && (!run.traced || run.traced->all.seconds <= 0.0)))
        return std::nullopt;
    if (run.nodes == 1)
        return 0.0;
    double seconds = 0.0;
    double unknown = 0.0;
    for (const ExposedGroup& one : run.traced->exposed) {
        seconds += one.link == LinkClass::ScaleOut ? one.seconds : 0.0;
        unknown += one.link == LinkClass::Unknown ? one.seconds : 0.0;
    }
    return unknown > seconds ? std::nullopt
                             : std::optional(seconds / run.traced->all.seconds * *step);
}

std::optional<BandwidthSide> bandwidthSide(const RunMeasures& run, std::string_view by) {
    const auto exposed = betweenNodes(run);
    const auto watts = run.value("mean_power_w");
    if (!exposed || !run.tokensPerStep || (by == "tokens_per_j" && !watts))
        return std::nullopt;
    const double weight = by == "tokens_per_j" ? *watts : run.gpus;
    return BandwidthSide{weight / *run.tokensPerStep, *run.value("step_time_s"), *exposed};
}

std::optional<BatchSide> batchSide(const RunMeasures& run, std::string_view by) {
    const auto figure = run.value(by);
    const auto microbatches = run.microbatches();
    if (!figure || !microbatches)
        return std::nullopt;
    // Virtual stages fill a pipeline as so many more micro-batches do.
    return BatchSide{*figure, *microbatches * run.layout->virtualStages,
        double{1} * run.layout->grid.degrees().pipeline};
}

std::optional<double> scaledBandwidth(const RunMeasures& run, double factor) {
    return run.traced && run.traced->betweenNodesBandwidth
        ? std::optional(*run.traced->betweenNodesBandwidth * factor)
        : std::nullopt;
}

// What the estimate leaves out, and where a part of a step has to speak for all of it.
std::string bandwidthModel(const RunMeasures& a, const RunMeasures& b) {
    const auto isPart = [](const RunMeasures& run) {
        return run.traced && run.traced->basis == TraceBasis::Trace;
    };
    std::string text
        = " Estimate: compute fixed, exposed communication between nodes ∝ 1/bandwidth";
    if (isPart(a) || isPart(b))
        text += "; the traced part of a step is taken to speak for all of it";
    return text + ".";
}

// " (16 × H100: 5.56 GB/s in place of 1.19 GB/s in its collectives)"
std::string ratesText(const RunMeasures& a, const RunMeasures& b, double factor) {
    const Labels labels(a, b);
    std::string text;
    for (const auto& [run, label] : {std::pair{&a, &labels.a}, std::pair{&b, &labels.b}}) {
        if (const auto rate = scaledBandwidth(*run, factor))
            text += fmt::format("{}{}: {} in place of {}", text.empty() ? " (" : "; ", *label,
                scaled(*rate, "B/s"), scaled(*run->traced->betweenNodesBandwidth, "B/s"));
    }
    return text.empty() ? text : text + " in collectives)";
}

void addBandwidth(Verdict& verdict, const RunMeasures& a, const RunMeasures& b) {
    const auto first = bandwidthSide(a, verdict.by);
    const auto second = bandwidthSide(b, verdict.by);
    Statement out{{}, "inter_node_bandwidth", {}, {}, true};
    if (!first || !second) {
        out.text = "At which bandwidth between nodes the verdict would turn cannot be told: that "
                   "takes traces of both, with their process groups.";
        out.isEstimate = false;
    } else if (const auto factor = evenBandwidth(*first, *second)) {
        out.a = scaledBandwidth(a, *factor);
        out.b = scaledBandwidth(b, *factor);
        if (!out.a && !out.b) {
            out.quantity = "inter_node_bandwidth_factor";
            out.a = out.b = factor;
        }
        out.text = fmt::format("The two would be even with networks between nodes {:.3g} × as fast "
                               "as now{}; {} that the verdict turns.{}",
            *factor, ratesText(a, b, *factor), *factor > 1.0 ? "beyond" : "below",
            bandwidthModel(a, b));
    } else {
        out.text = "No bandwidth between nodes would turn the verdict." + bandwidthModel(a, b);
    }
    verdict.statements.push_back(std::move(out));
}

void addBatch(Verdict& verdict, const RunMeasures& a, const RunMeasures& b) {
    const auto first = batchSide(a, verdict.by);
    const auto second = batchSide(b, verdict.by);
    if (!first || !second || !a.run.launch.globalBatch)
        return;
    constexpr const char* model = " Estimate: pipeline bubbles of (p−1)/(m+p−1) alone.";
    Statement out{{}, "global_batch", {}, {}, true};
    const double batch = *a.run.launch.globalBatch;
    const auto factor = evenBatch(*first, *second);
    const bool isPossible
        = factor && *factor * std::min(*a.microbatches(), *b.microbatches()) >= 1.0;
    if (isPossible) {
        out.a = out.b = *factor * batch;
        out.text = fmt::format("The two would be even at a global batch of about {:.0f} (now "
                               "{:.0f}); {} that the verdict turns.{}",
            *factor * batch, batch, *factor > 1.0 ? "beyond" : "below", model);
    } else {
        out.text = std::string("No global batch would turn the verdict.") + model;
    }
    verdict.statements.push_back(std::move(out));
}

} // namespace

void addTurning(Verdict& verdict, const RunMeasures& a, const RunMeasures& b) {
    addBandwidth(verdict, a, b);
    addBatch(verdict, a, b);
}

} // namespace trainscope::analysis
