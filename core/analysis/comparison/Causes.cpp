#include "core/analysis/comparison/Reasons.h"

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

} // namespace trainscope::analysis
