// The sentences of an overview on the job itself: its steps, its loss, its memory, its captures.
#include "core/analysis/overview/Overview.h"

#include <fmt/format.h>

#include <tuple>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastSpread = 20; // fewer have no spread that a picture shows
constexpr std::size_t kBins = 24;
constexpr double kTold = 0.05; // share of the steps on either side of the told range
constexpr double kLongStep = 1.25; // × the median: a step that is told by itself

const SubjectStatistics* statisticsOf(const RunFacts& facts, const char* metric) {
    const auto found = facts.whole.metrics.find(metric);
    return found == facts.whole.metrics.end() ? nullptr : &found->second.all;
}

// Steps that count, the shortest first.
std::vector<const Iteration*> countedSteps(const RunFacts& facts) {
    std::vector<const Iteration*> steps;
    for (const Iteration& one : facts.iterations.iterations) {
        if (!one.warmup)
            steps.push_back(&one);
    }
    std::ranges::stable_sort(
        steps, {}, [](const Iteration* one) { return one->range.length().ns; });
    return steps;
}

Histogram histogramOf(const std::vector<const Iteration*>& steps, double from, double to) {
    Histogram made{from, to, std::vector<std::int64_t>(kBins, 0)};
    for (const Iteration* one : steps) {
        const double place = (one->range.length().seconds() - from) / (to - from) * kBins;
        ++made.counts[static_cast<std::size_t>(std::clamp(place, 0.0, kBins - 1.0))];
    }
    return made;
}

// "; 9 of 10 take 595 ms to 612 ms, the longest 2.04 s (iteration 88)"
std::string spreadText(const RunFacts& facts, OverviewSentence& told) {
    const auto steps = countedSteps(facts);
    if (steps.size() < kLeastSpread)
        return {};
    const auto at = [&steps](double share) {
        const double place = share * static_cast<double>(steps.size() - 1);
        return steps[static_cast<std::size_t>(std::llround(place))]->range.length().seconds();
    };
    const Iteration& longest = *steps.back();
    told.values["step_time_p5_s"] = at(kTold);
    told.values["step_time_p95_s"] = at(1.0 - kTold);
    told.values["longest_step_s"] = longest.range.length().seconds();
    std::string text = fmt::format(
        "; 9 of 10 take {} to {}", text::seconds(at(kTold)), text::seconds(at(1.0 - kTold)));
    if (longest.range.length().seconds() > kLongStep * *facts.efficiency.stepTimeS) {
        told.evidence.range = longest.range;
        text += fmt::format(", the longest {} (iteration {})",
            text::seconds(longest.range.length().seconds()), longest.index);
    }
    const double range = at(1.0 - kTold) - at(kTold);
    if (range > 0.0)
        told.spread = histogramOf(steps, std::max(at(0.0), at(kTold) - range / 2.0),
            std::min(at(1.0), at(1.0 - kTold) + range / 2.0));
    return text;
}

// The model's, else as the log reports it; what cannot be is left out.
std::string mfuText(const RunFacts& facts, OverviewSentence& told) {
    const auto* reported = statisticsOf(facts, metric::kReportedMfu);
    const bool isReported = !facts.efficiency.mfu && reported != nullptr;
    const auto mfu = isReported ? reported->p50 : facts.efficiency.mfu;
    if (!mfu || isImplausibleMfu(isReported ? reported->max : mfu))
        return {};
    told.values[isReported ? "reported_mfu" : "mfu"] = *mfu;
    return fmt::format(", MFU {}{}", text::roundedPercent(*mfu), isReported ? " as reported" : "");
}

} // namespace

std::optional<OverviewSentence> stepsSentence(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    OverviewSentence told;
    told.topic = Topic::Steps;
    told.unit = "s";
    told.weight = 2.0; // never left out
    told.evidence = {-1, facts.run.range, {}};
    if (!facts.efficiency.stepTimeS) {
        if (!facts.iterations.powerPeriodS)
            return std::nullopt;
        told.values["power_period_s"] = *facts.iterations.powerPeriodS;
        told.evidence.metric = metric::kGpuPower;
        told.text = "P" + powerPeriodText(facts.iterations).substr(1) + ".";
        told.weight = 0.5;
        return told;
    }
    told.values["step_time_s"] = *facts.efficiency.stepTimeS;
    told.text = fmt::format("A step takes {}", text::seconds(*facts.efficiency.stepTimeS));
    for (const auto& [name, unit, rate] :
        {std::tuple("tokens_per_s", "tokens/s", &facts.efficiency.tokensPerS),
            std::tuple("samples_per_s", "samples/s", &facts.efficiency.samplesPerS)}) {
        if (!*rate)
            continue;
        told.values[name] = **rate;
        told.text += fmt::format(": {}", text::rounded(**rate, unit));
        break;
    }
    told.text += mfuText(facts, told) + spreadText(facts, told) + ".";
    return told;
}

std::optional<OverviewSentence> goodputSentence(const OverviewInputs& inputs) {
    const Goodput& goodput = inputs.goodput;
    if (!goodput.isKnown())
        return std::nullopt;
    OverviewSentence told;
    told.topic = Topic::Goodput;
    told.unit = "s";
    told.isWhole = true;
    told.weight = 1.05 - goodput.share();
    told.evidence = {-1, inputs.facts.run.range, {}};
    told.values = {{"goodput", goodput.share()}, {"wall_s", goodput.wallS}};
    for (const JobPart part : kJobParts) {
        if (goodput.seconds[part] <= 0.0)
            continue;
        told.values[std::string(toString(part)) + "_s"] = goodput.seconds[part];
        told.parts.push_back({part == JobPart::Idle ? "idle" : "", std::string(titleOf(part)),
            goodput.seconds[part]});
    }
    std::ranges::stable_sort(told.parts, std::greater(), &OverviewPart::value);
    told.text = goodputText(goodput) + ".";
    return told;
}

std::optional<OverviewSentence> lossSentence(const OverviewInputs& inputs) {
    const auto* loss = statisticsOf(inputs.facts, metric::kLoss);
    if (loss == nullptr || !loss->first || !loss->last || !loss->min)
        return std::nullopt;
    OverviewSentence told;
    told.topic = Topic::Loss;
    told.weight = 0.9;
    told.evidence = {-1, inputs.facts.run.range, metric::kLoss};
    told.values
        = {{"loss_first", *loss->first}, {"loss_last", *loss->last}, {"loss_lowest", *loss->min}};
    told.text = fmt::format("The loss {} from {} to {}, {} at the lowest.",
        *loss->last < *loss->first ? "fell" : "went", text::number(*loss->first),
        text::number(*loss->last), text::number(*loss->min));
    return told;
}

std::optional<OverviewSentence> memorySentence(const OverviewInputs& inputs) {
    const auto fullest = std::ranges::max_element(inputs.memory, {}, &DeviceMemory::peakAllocated);
    if (fullest == inputs.memory.end() || fullest->peakAllocated <= 0.0)
        return std::nullopt;
    const TimeNs start = inputs.facts.run.range.begin;
    OverviewSentence told;
    told.topic = Topic::Memory;
    told.weight = 0.95;
    told.unit = "B";
    told.isWhole = true;
    told.values["peak_allocated_b"] = fullest->peakAllocated;
    const auto& record = fullest->record;
    told.evidence = {fullest->rank, inputs.facts.run.range, metric::kTorchAllocated};
    told.text = fmt::format("{} had {} allocated {}",
        inputs.memory.size() == 1 ? "The GPU" : fmt::format("Rank {}", fullest->rank),
        text::rounded(fullest->peakAllocated, "B"),
        record && record->events == 0 ? "at the snapshot" : "at the most");
    if (!record || (record->events > 0 && record->peak.time)) {
        told.values["peak_s"] = (fullest->peakTime - start).seconds();
        told.evidence.range = {fullest->peakTime, fullest->peakTime + DurationNs{1}};
        told.text += fmt::format(", at {}", text::seconds((fullest->peakTime - start).seconds()));
    }
    if (fullest->reservedThen) {
        told.values["reserved_b"] = *fullest->reservedThen;
        told.text += fmt::format(", of {} reserved", text::rounded(*fullest->reservedThen, "B"));
    }
    if (record) {
        for (const auto& [use, bytes] : record->peak.byUse)
            told.parts.push_back({{}, std::string(titleOf(use)), static_cast<double>(bytes)});
        if (!record->peak.largest.empty() && !record->peak.largest.front().calls.empty()) {
            const LiveAllocations& most = record->peak.largest.front();
            told.values["largest_holder_b"] = static_cast<double>(most.bytes());
            told.text += fmt::format("; {} holds most, {}", most.calls.front(),
                text::rounded(static_cast<double>(most.bytes()), "B"));
        }
    }
    told.text += ".";
    return told;
}

std::optional<OverviewSentence> capturesSentence(const OverviewInputs& inputs) {
    if (!inputs.captures)
        return std::nullopt;
    OverviewSentence told;
    told.topic = Topic::Captures;
    told.weight = 0.85;
    told.evidence = {-1, inputs.facts.run.range, {}};
    told.unit = "s";
    told.parts = inputs.captures->stepsS;
    told.text = inputs.captures->headline + ".";
    return told;
}

std::string overviewWindow(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    std::string told = fmt::format(
        "Numbers are of the whole run, {}", text::seconds(facts.whole.duration.seconds()));
    if (!facts.efficiency.stepWindow.empty())
        told += "; step time, " + facts.efficiency.stepWindow;
    if (inputs.work.devices > 0)
        told += fmt::format("; traced time, {}{}",
            text::seconds(inputs.work.tracedS / inputs.work.devices),
            inputs.work.devices > 1 ? " a GPU" : "");
    return facts.whole.duration.ns > 0 ? told : std::string();
}

} // namespace trainscope::analysis
