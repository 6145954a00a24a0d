#include "core/analysis/comparison/Reasons.h"

#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

// A step's GPU-seconds per token, by what they went into.
struct Costs {
    double perToken = 0.0;
    std::vector<std::pair<std::string_view, double>> parts; // kExposed, …: the same for all runs
};

constexpr std::string_view kExposed = "exposed_communication";
constexpr std::string_view kBubble = "pipeline_bubble";
constexpr std::string_view kWaiting = "waiting";
constexpr std::string_view kIdle = "idle";
constexpr std::string_view kHeat = "thermal_throttling";
constexpr std::string_view kPowerLimit = "power_throttling";
constexpr std::string_view kLowClocks = "low_clocks"; // for no known reason
constexpr std::string_view kComputeCause = "compute";

// Shares of the traced time.
struct TracedCosts {
    double exposed = 0.0; // transfers, and possible waiting where that cannot be told
    double bubble = 0.0; // pipeline only: idle, or waiting for a neighbour
    double waiting = 0.0; // for late ranks in other collectives
    double idle = 0.0; // without a pipeline
};

// Messages between stages, and collectives over several stages, in which those that have drained
// wait for the others.
bool isOfPipeline(const ExposedCommunication& group) {
    return group.category == "send_recv" || group.dimension.find("pp") != std::string::npos
        || group.dimension == "world";
}

TracedCosts tracedCostsOf(const RunMeasures& run) {
    const TraceMeasures& traced = *run.traced;
    const bool isPipeline = run.layout && run.layout->grid.degrees().pipeline > 1;
    TracedCosts costs;
    costs.exposed = traced.shares.exposedCommunication;
    (isPipeline ? costs.bubble : costs.idle) = traced.shares.idle;
    for (const ExposedCommunication& one : traced.exposed) {
        if (!one.waitS || traced.all.seconds <= 0.0)
            continue;
        const double share = std::min(*one.waitS / traced.all.seconds, costs.exposed);
        costs.exposed -= share;
        (isPipeline && isOfPipeline(one) ? costs.bubble : costs.waiting) += share;
    }
    return costs;
}

// Without traces only lost clocks and the rest can be told apart.
std::optional<Costs> costsOf(const RunMeasures& run, bool withTrace) {
    const auto step = run.value("step_time_s");
    if (!step || !run.tokensPerStep || run.gpus <= 0)
        return std::nullopt;
    TracedCosts traced = withTrace ? tracedCostsOf(run) : TracedCosts();
    double rest = 1.0 - traced.exposed - traced.bubble - traced.waiting - traced.idle;
    // The other GPUs wait for the slowest one: part of the waiting, and of what computes too long.
    const double slowest = run.value("slowest_gpu_clock_lost_fraction").value_or(0.0);
    const double lost = std::min(slowest, std::max(rest + traced.waiting, 0.0));
    const double ofWaiting = std::min(lost, traced.waiting);
    traced.waiting -= ofWaiting;
    rest -= lost - ofWaiting;
    const double throttled = run.value("throttled_fraction").value_or(0.0);
    const auto partOf = [&](const char* key) {
        const double part = run.value(key).value_or(0.0);
        return throttled > 0.0 ? lost * std::clamp(part / throttled, 0.0, 1.0) : 0.0;
    };
    const double heat = partOf("thermally_throttled_fraction");
    const double power = std::min(partOf("power_throttled_fraction"), lost - heat);
    Costs out;
    out.perToken = *step * run.gpus / *run.tokensPerStep;
    for (const auto& [name, share] : {std::pair{kExposed, traced.exposed},
             std::pair{kBubble, traced.bubble}, std::pair{kWaiting, traced.waiting},
             std::pair{kIdle, traced.idle}, std::pair{kHeat, heat}, std::pair{kPowerLimit, power},
             std::pair{kLowClocks, lost - heat - power}, std::pair{kComputeCause, rest}})
        out.parts.emplace_back(name, share * out.perToken);
    return out;
}

// For people, after "74 % of that is".
std::string causeText(std::string_view cause, bool isTraced) {
    if (cause == kExposed)
        return "exposed communication";
    if (cause == kBubble)
        return "pipeline bubbles";
    if (cause == kWaiting)
        return "waiting for late GPUs in collectives";
    if (cause == kIdle)
        return "idle time, in which no kernel runs";
    if (cause == kHeat)
        return "throttling by heat";
    if (cause == kPowerLimit)
        return "throttling at the power limit";
    if (cause == kLowClocks)
        return "low clocks for no known reason";
    return isTraced ? "compute" : "everything else";
}

// Costs of two runs, and whether traces tell their parts.
struct Gap {
    const RunMeasures& better;
    const RunMeasures& worse;
    const Costs& low;
    const Costs& high;
    bool isTraced = false;

    [[nodiscard]] double more() const { return high.perToken - low.perToken; }
    // The share of that which the part explains; negative: it speaks for the other one.
    [[nodiscard]] double share(std::size_t part) const {
        return (high.parts[part].second - low.parts[part].second) / more();
    }
};

// The part that explains most of it. The rest, called compute, is no reason by itself:
// another that explains a quarter goes first.
std::optional<std::size_t> causeOf(const Gap& gap) {
    constexpr double telling = 0.25;
    std::optional<std::size_t> most;
    for (std::size_t i = 0; i < gap.high.parts.size(); ++i) {
        if (gap.high.parts[i].first != kComputeCause && (!most || gap.share(i) > gap.share(*most)))
            most = i;
    }
    if (most && gap.share(*most) >= telling)
        return most;
    // Without traces the remainder may be anything.
    return gap.isTraced ? std::optional(gap.high.parts.size() - 1) : std::nullopt;
}

// GPU-seconds per token that transfer without compute, by group and link.
std::map<std::string, double> transfersOf(const RunMeasures& run) {
    std::map<std::string, double> out;
    const double perSecond = run.gpus / *run.tokensPerStep * *run.value("step_time_s");
    for (const ExposedCommunication& one : run.traced->exposed)
        out[carrierText(run, one)] += one.transferS() / run.traced->all.seconds * perSecond;
    return out;
}

// ", most of it DP between nodes"
std::string carrierOf(const Gap& gap) {
    constexpr double most = 0.5;
    const auto before = transfersOf(gap.better);
    std::map<std::string, double> differences = transfersOf(gap.worse);
    for (const auto& [name, seconds] : before)
        differences[name] -= seconds;
    const auto largest
        = std::ranges::max_element(differences, {}, [](const auto& one) { return one.second; });
    double all = 0.0;
    for (const auto& [name, seconds] : differences)
        all += std::max(seconds, 0.0);
    if (largest == differences.end() || largest->second < most * all || all <= 0.0)
        return {};
    return (largest->second > 0.95 * all ? " (" : " (most of it ") + largest->first + ")";
}

// "74 % of that is exposed communication (DP between nodes), 37 % compute; less idle time takes
// 11 % off"
std::string partsText(const Gap& gap, std::size_t first) {
    constexpr double worthTelling = 0.1;
    std::vector<std::pair<double, std::string_view>> parts;
    for (std::size_t i = 0; i < gap.high.parts.size(); ++i) {
        if (i != first && std::abs(gap.share(i)) >= worthTelling)
            parts.emplace_back(gap.share(i), gap.high.parts[i].first);
    }
    std::ranges::sort(parts, std::greater<>());
    const std::string_view cause = gap.high.parts[first].first;
    std::string text
        = text::roundedPercent(gap.share(first)) + " of that is " + causeText(cause, gap.isTraced);
    if (cause == kExposed)
        text += carrierOf(gap);
    bool isOff = false;
    for (const auto& [part, name] : parts) {
        const std::string what = causeText(name, gap.isTraced);
        if (part > 0.0)
            text += fmt::format(", {} {}", text::roundedPercent(part), what);
        else
            text += fmt::format(
                "{}less {} takes {} off", isOff ? ", " : "; ", what, text::roundedPercent(-part));
        isOff = part < 0.0;
    }
    return text;
}

// Names power as the cause where most of the loser's energy per token goes into power and not into
// time.
bool addPower(Verdict& verdict, const RunMeasures& better, const RunMeasures& worse,
    const std::pair<std::string, std::string>& labels, bool isFirstBetter) {
    constexpr double most = 0.5; // share of the logarithm of the factor
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
             labels.second, text::rounded(*high, "W"), labels.first, text::rounded(*low, "W"),
             text::worded(*high / *low), share > 1.0 ? "which makes more than" : "most of",
             text::worded(factor)),
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
    const bool withTrace = a.speaksForSteps() && b.speaksForSteps();
    const auto costs = std::pair{costsOf(a, withTrace), costsOf(b, withTrace)};
    if (!costs.first || !costs.second)
        return;
    const Gap gap{isFirst ? a : b, isFirst ? b : a, isFirst ? *costs.first : *costs.second,
        isFirst ? *costs.second : *costs.first, withTrace};
    if (gap.more() <= 0.0)
        return;
    const auto most = causeOf(gap);
    if (!most)
        return;
    verdict.cause = gap.high.parts[*most].first;
    const bool isOfClocks
        = verdict.cause == kLowClocks || verdict.cause.find("throttling") != std::string::npos;
    Statement out{
        fmt::format("{} takes {} more GPU time a token: {}{}.", isFirst ? labels.b : labels.a,
            text::roundedPercent(gap.more() / gap.low.perToken), partsText(gap, *most),
            isOfClocks ? " (estimate: a step waits for the slowest GPU)" : ""),
        "gpu_seconds_per_token_" + verdict.cause, costs.first->parts[*most].second,
        costs.second->parts[*most].second, isOfClocks};
    verdict.statements.insert(verdict.statements.begin(), std::move(out));
}

} // namespace trainscope::analysis
