#include "core/analysis/comparison/Reasons.h"

#include "core/analysis/comparison/Turning.h"
#include "core/analysis/findings/FindingText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

namespace trainscope::analysis {

namespace {

// A step's GPU-seconds per token, by what they went into.
struct Costs {
    double perToken = 0.0;
    std::vector<std::pair<std::string_view, double>> parts; // "exposed_communication", …
};

// Without traces only throttling and the rest can be told apart.
std::optional<Costs> costsOf(const RunMeasures& run, bool withTrace) {
    const auto step = run.value("step_time_s");
    if (!step || !run.tokensPerStep || run.gpus <= 0)
        return std::nullopt;
    Costs out;
    out.perToken = *step * run.gpus / *run.tokensPerStep;
    double rest = 1.0;
    const auto take = [&](std::string_view name, double share) {
        out.parts.emplace_back(name, share * out.perToken);
        rest -= share;
    };
    if (withTrace) {
        take("exposed_communication", run.traced->shares.exposedCommunication);
        take("idle", run.traced->shares.idle);
    }
    // The other GPUs wait for the slowest one.
    const double lost = std::min(run.value("slowest_gpu_lost_fraction").value_or(0.0), rest);
    const double throttled = run.value("throttled_fraction").value_or(0.0);
    const double heat = run.value("thermally_throttled_fraction").value_or(0.0);
    const double byHeat = throttled > 0.0 ? std::clamp(heat / throttled, 0.0, 1.0) : 0.0;
    take("thermal_throttling", lost * byHeat);
    take("throttling", lost * (1.0 - byHeat));
    out.parts.emplace_back("compute", rest * out.perToken);
    return out;
}

std::string causeText(std::string_view cause) {
    if (cause == "exposed_communication")
        return "exposed communication";
    if (cause == "idle")
        return "idle time, pipeline bubbles included";
    if (cause == "thermal_throttling")
        return "throttling by heat";
    return cause == "throttling" ? "throttling" : "other compute";
}

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

// The part that explains most of it. What is left as compute is a remainder, no reason by itself:
// another that explains a quarter goes first.
std::optional<std::size_t> causeOf(const Costs& better, const Costs& worse, double more) {
    constexpr double telling = 0.25;
    const auto shareOf
        = [&](std::size_t i) { return (worse.parts[i].second - better.parts[i].second) / more; };
    std::optional<std::size_t> most;
    for (std::size_t i = 0; i < worse.parts.size(); ++i) {
        if (worse.parts[i].first != "compute" && (!most || shareOf(i) > shareOf(*most)))
            most = i;
    }
    if (most && shareOf(*most) >= telling)
        return most;
    // Without traces the remainder may be anything.
    const bool isTraced = worse.parts.front().first == "exposed_communication";
    return isTraced ? std::optional(worse.parts.size() - 1) : std::nullopt;
}

// "74 % of that is exposed communication, 37 % other compute, −15 % idle time"
std::string partsText(const Costs& better, const Costs& worse, double more, std::size_t first) {
    constexpr double worthTelling = 0.1;
    std::vector<std::pair<double, std::string_view>> parts;
    for (std::size_t i = 0; i < worse.parts.size(); ++i) {
        const double share = (worse.parts[i].second - better.parts[i].second) / more;
        if (i != first && std::abs(share) >= worthTelling)
            parts.emplace_back(share, worse.parts[i].first);
    }
    std::sort(parts.begin(), parts.end(), std::greater<>());
    const double share = (worse.parts[first].second - better.parts[first].second) / more;
    std::string text = percent(share) + " of that is " + causeText(worse.parts[first].first);
    for (const auto& [part, name] : parts)
        text += fmt::format(", {} {}", percent(part), causeText(name));
    return text;
}

// Where most of the loser's energy a token goes into power and not into time, that is the cause.
bool addPower(Verdict& verdict, const RunMeasures& better, const RunMeasures& worse,
    const std::pair<std::string, std::string>& labels, bool isFirstBetter) {
    constexpr double most = 0.5; // of the logarithm of the factor
    if (verdict.by != "tokens_per_j" || better.gpus <= 0 || worse.gpus <= 0)
        return false;
    const auto watts = [](const RunMeasures& run) {
        const auto all = run.value("mean_power_w");
        return all ? std::optional(*all / run.gpus) : std::nullopt;
    };
    const auto high = watts(worse);
    const auto low = watts(better);
    const double factor = *better.value("tokens_per_j") / *worse.value("tokens_per_j");
    if (!high || !low || *low <= 0.0 || *high <= *low || factor <= 1.0)
        return false;
    const double share = std::log(*high / *low) / std::log(factor);
    if (share < most)
        return false;
    verdict.cause = "power";
    verdict.statements.insert(verdict.statements.begin(),
        {fmt::format("{} draws {} a GPU, {} {}: {:.2f} × the power, {} the {:.2f} × of energy a "
                     "token.",
             labels.second, scaled(*high, "W"), labels.first, scaled(*low, "W"), *high / *low,
             share > 1.0 ? "which makes more than" : "most of", factor),
            "mean_power_w_per_gpu", isFirstBetter ? low : high, isFirstBetter ? high : low, false});
    return true;
}

} // namespace

void addCause(Verdict& verdict, const RunMeasures& a, const RunMeasures& b, std::size_t winner) {
    const Labels labels(a, b);
    const bool isFirst = winner == 0;
    if (addPower(verdict, isFirst ? a : b, isFirst ? b : a,
            isFirst ? std::pair{labels.a, labels.b} : std::pair{labels.b, labels.a}, isFirst))
        return;
    const bool withTrace = a.traced && b.traced;
    const auto costs = std::pair{costsOf(a, withTrace), costsOf(b, withTrace)};
    if (!costs.first || !costs.second)
        return;
    const Costs& better = winner == 0 ? *costs.first : *costs.second;
    const Costs& worse = winner == 0 ? *costs.second : *costs.first;
    const double more = worse.perToken - better.perToken;
    if (more <= 0.0)
        return;
    const auto most = causeOf(better, worse, more);
    if (!most)
        return;
    verdict.cause = worse.parts[*most].first;
    const bool isThrottling = verdict.cause.find("throttling") != std::string::npos;
    Statement out{
        fmt::format("{} takes {} more GPU time a token: {}{}.", winner == 0 ? labels.b : labels.a,
            percent(more / better.perToken), partsText(better, worse, more, *most),
            isThrottling ? " (estimate: a step waits for the slowest GPU)" : ""),
        "gpu_seconds_per_token_" + verdict.cause, costs.first->parts[*most].second,
        costs.second->parts[*most].second, isThrottling};
    verdict.statements.insert(verdict.statements.begin(), std::move(out));
}

void addTurning(Verdict& verdict, const RunMeasures& a, const RunMeasures& b) {
    addBandwidth(verdict, a, b);
    addBatch(verdict, a, b);
}

} // namespace trainscope::analysis
