// The sentences of an overview.
#include "core/analysis/findings/Rules.h"
#include "core/analysis/overview/Overview.h"
#include "core/analysis/replay/Replay.h"
#include "core/analysis/traces/KernelCategory.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kToldParts = 3;
constexpr double kToldShareOfTime = 0.005; // share of the traced time
constexpr double kSameWork = 0.05; // shares of the time
constexpr std::size_t kToldName = 48;

bool isOneGpu(const OverviewInputs& inputs) {
    return overviewGpus(inputs) <= 1;
}

std::string toldShares(const std::vector<OverviewPart>& parts, double whole) {
    std::string text;
    std::size_t told = 0;
    for (const OverviewPart& part : parts) {
        if (part.key == "idle" || part.key == "copy" || part.value < kToldShareOfTime * whole)
            continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name,
            text::roundedPercent(part.value / whole));
        if (++told == kToldParts)
            break;
    }
    return text;
}

void byValue(std::vector<OverviewPart>& parts) {
    std::stable_sort(parts.begin(), parts.end(),
        [](const OverviewPart& a, const OverviewPart& b) { return a.value > b.value; });
}

// A name as it stands in the middle of a sentence: "Elementwise" → "elementwise", "GEMM" stays.
std::string inSentence(std::string_view category) {
    std::string label
        = category == "copy" ? "copies alone" : std::string(KernelCategories::label(category));
    const bool isWord = label.size() > 1 && label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a'
        && label[1] <= 'z'
        && std::all_of(label.begin() + 1, label.end(), [](char c) { return c < 'A' || c > 'Z'; });
    if (isWord)
        label[0] = static_cast<char>(label[0] - 'A' + 'a');
    return label;
}

std::optional<double> wholeMean(const RunFacts& facts, const char* metric) {
    const auto found = facts.whole.metrics.find(metric);
    return found == facts.whole.metrics.end() ? std::nullopt : found->second.all.mean;
}

// Work and rest apart; of several the share of work of each, the least first.
OverviewSentence timeByPower(const OverviewInputs& inputs) {
    const WorkAndRest& told = *inputs.workAndRest;
    const SubjectWork all = told.together();
    const bool isOne = told.subjects.size() == 1;
    OverviewSentence sentence;
    sentence.evidence
        = {-1, inputs.facts.run.range, told.isOfNodes ? metric::kNodePower : metric::kGpuPower};
    sentence.isWhole = isOne;
    sentence.unit = isOne ? "s" : "1";
    if (isOne)
        sentence.parts = {{{}, "work", all.work.length().seconds()},
            {"idle", "rest", all.rest.length().seconds()}};
    sentence.values = {{"work_share", all.workShare()}, {"work_energy_j", all.work.integral()},
        {"rest_energy_j", all.rest.integral()}};
    const std::string noun = told.isOfNodes ? "node" : "GPU";
    sentence.text = fmt::format("The {} worked for {} of the time{}",
        isOne ? noun : text::counted(std::ssize(told.subjects), noun),
        text::roundedPercent(all.workShare()),
        told.isByUtilization ? "" : ", as two levels of power tell");
    if (const auto watts = all.work.mean()) {
        sentence.values["work_power_w"] = *watts;
        sentence.text += fmt::format(", at {}{}", text::rounded(*watts, "W"), isOne ? "" : " each");
    }
    if (const auto watts = all.rest.mean()) {
        sentence.values["rest_power_w"] = *watts;
        sentence.text += fmt::format(
            "; at rest {} drew {}", isOne ? "it" : "they", text::rounded(*watts, "W"));
    }
    if (isOne)
        return sentence;
    for (const SubjectWork& one : told.subjects)
        sentence.parts.push_back({{}, one.name, one.workShare()});
    std::ranges::stable_sort(sentence.parts, {}, &OverviewPart::value);
    if (sentence.parts.back().value - sentence.parts.front().value > kSameWork)
        sentence.text += fmt::format("; {} worked least, {}", sentence.parts.front().name,
            text::roundedPercent(sentence.parts.front().value));
    return sentence;
}

// Time by the utilisation and the power, where no trace tells it.
std::optional<OverviewSentence> timeByTelemetry(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    const auto use = wholeMean(facts, metric::kGpuUtilization);
    if (!use && !inputs.workAndRest)
        return std::nullopt;
    OverviewSentence told;
    if (inputs.workAndRest) {
        told = timeByPower(inputs);
    } else {
        const double seconds = facts.whole.duration.seconds();
        told.evidence = {-1, facts.run.range, metric::kGpuUtilization};
        told.unit = "s";
        told.parts = {{{}, "busy", *use * seconds}, {"idle", "idle", (1.0 - *use) * seconds}};
        told.isWhole = true;
        told.text = isOneGpu(inputs) ? "The GPU was busy" : "The GPUs were busy";
    }
    if (use) {
        told.values["utilization"] = *use;
        told.text += inputs.workAndRest
            ? fmt::format("; utilisation {} in the mean", text::roundedPercent(*use))
            : fmt::format(" for {} of the time by utilisation", text::roundedPercent(*use));
    }
    told.text += ".";
    told.weight = 1.0;
    return told;
}

// Self time of the host, where no device was traced.
OverviewSentence timeOfHost(const HostSelfTime& host) {
    constexpr std::size_t kMostHostCalls = 8;
    OverviewSentence told;
    told.weight = 1.0;
    told.evidence = {host.ranks.size() == 1 ? host.ranks.front() : -1, host.window, {}};
    told.unit = "s";
    told.isWhole = true;
    double rest = host.selfTime.seconds();
    for (const HostCalls& one : host.byName) {
        if (told.parts.size() == kMostHostCalls || one.selfTime.ns <= 0)
            break;
        told.parts.push_back(
            {{}, text::elidedInMiddle(one.name, kToldName), one.selfTime.seconds()});
        rest -= one.selfTime.seconds();
    }
    const std::string parts = toldShares(told.parts, host.selfTime.seconds());
    if (rest > kToldShareOfTime * host.selfTime.seconds())
        told.parts.push_back({{}, "other calls", rest});
    told.values = {{"host_self_time_s", host.selfTime.seconds()},
        {"calls", static_cast<double>(host.calls)}, {"threads", static_cast<double>(host.threads)}};
    told.text = fmt::format("Only the host was traced: {} took {} of their own on {}{}.",
        text::counted(host.calls, "call"), text::seconds(host.selfTime.seconds()),
        hostPlaceText(host), parts.empty() ? "" : ": " + parts);
    return told;
}

std::string idleText(const TimeOfWork& work) {
    if (work.idleS <= 0.0)
        return "never idle";
    return fmt::format("idle {}, {}{}", text::roundedPercent(work.idleS / work.tracedS),
        text::seconds(work.idleS / work.devices), work.devices > 1 ? " each in the mean" : "");
}

// "; of the 1.45 kJ in the traced 2.12 s GEMM took 649 J (421 to 765)", by what readings tell: of
// categories, else of phases.
std::string tracedEnergyText(const OverviewInputs& inputs, OverviewSentence& told) {
    const AttributedEnergy& sum = inputs.energy.sum;
    if (inputs.energy.gpus.empty() || !sum.total.known)
        return {};
    const double all = sum.total.known->joules;
    told.values["traced_energy_j"] = all;
    std::vector<std::pair<OverviewPart, EstimatedEnergy>> known;
    const auto add = [&known](const std::string& key, std::string name, const PartEnergy& part) {
        if (part.known && part.known->joules > 0.0)
            known.push_back({{key, std::move(name), part.known->joules}, *part.known});
    };
    for (const auto& [category, part] : sum.categories)
        add(category, category == "idle" ? "idle" : inSentence(category), part);
    if (known.empty()) {
        for (const Phase phase : kAllPhases)
            add({}, phaseTitle(phase), sum.phases[phase]);
    }
    std::ranges::stable_sort(
        known, std::greater(), [](const auto& one) { return one.first.value; });
    double rest = all;
    std::string text;
    for (const auto& [part, energy] : known) {
        rest -= part.value;
        if (told.parts.size() < kToldParts)
            text += fmt::format("{}{} {} ({} to {})", text.empty() ? "" : ", ", part.name,
                text::rounded(energy.joules, "J"), text::rounded(energy.low, "J"),
                text::rounded(energy.high, "J"));
        told.parts.push_back(part);
    }
    if (rest > 0.0)
        told.parts.push_back({{}, "not told apart", rest});
    told.isWhole = true;
    const std::string traced = fmt::format("the {} while {} traced", text::rounded(all, "J"),
        isOneGpu(inputs) ? "it was" : "they were");
    return text.empty() ? fmt::format("; the readings do not tell what took {}", traced)
                        : fmt::format("; of {}, {}", traced, text);
}

// The GPU with the highest reading of a metric, and the least highest reading of all.
struct HeatPeaks {
    int gpus = 0; // GPUs with readings
    const GpuSummary* most = nullptr;
    double highest = 0.0;
    double lowestPeak = 0.0;
};
HeatPeaks heatPeaks(const RunFacts& facts, const std::string& metric) {
    HeatPeaks found;
    for (const GpuSummary& gpu : facts.whole.gpus) {
        const auto peak = statisticOf(gpu.metrics, metric, &SubjectStatistics::max);
        if (!peak)
            continue;
        ++found.gpus;
        if (found.most == nullptr || *peak > found.highest) {
            found.highest = *peak;
            found.lowestPeak = found.most == nullptr ? *peak : found.lowestPeak;
            found.most = &gpu;
        }
        found.lowestPeak = std::min(found.lowestPeak, *peak);
    }
    return found;
}

// "throttled for 19.2 % of the time, mostly by the power limit"; the longest episode is evidence.
std::string throttledText(const OverviewInputs& inputs, OverviewSentence& told) {
    const Throttling& throttling = *inputs.facts.throttling;
    told.values["throttled_share"] = throttling.fraction;
    if (throttling.clockLost)
        told.values["clock_lost_share"] = throttling.clockLost->fraction;
    const char* basis = throttling.basis == ThrottleBasis::Clocks ? ", as clocks tell" : "";
    if (throttling.episodes.empty())
        return fmt::format("never throttled{}", basis);
    const RankEpisode& longest = throttling.longest();
    told.evidence = {longest.rank, longest.episode.range, throttling.metric()};
    told.weight = std::max(told.weight, 0.5 + throttling.fraction);
    const bool isAll = throttling.causes.size() == 1;
    std::string text = fmt::format("throttled for {} of the {}{}, {}by {}",
        text::roundedPercent(throttling.fraction), isOneGpu(inputs) ? "time" : "GPUs' time", basis,
        isAll ? "" : "mostly ", titleOf(throttling.mainCause()));
    if (throttling.clockLost && throttling.clockLost->fraction > 0.0)
        text += fmt::format("; {} of {} clock was lost",
            text::roundedPercent(throttling.clockLost->fraction),
            isOneGpu(inputs) ? "its" : "their");
    if (!isOneGpu(inputs))
        text += fmt::format("; rank {} had the longest episode", longest.rank);
    return text;
}

} // namespace

std::optional<OverviewSentence> timeSentence(const OverviewInputs& inputs) {
    const TimeOfWork& work = inputs.work;
    if (work.tracedS <= 0.0 && inputs.host)
        return timeOfHost(*inputs.host);
    if (work.tracedS <= 0.0)
        return timeByTelemetry(inputs);
    OverviewSentence told;
    told.weight = 1.0;
    told.evidence = {-1, work.window, {}};
    told.unit = "s";
    told.isWhole = true;
    for (const auto& [category, seconds] : work.categoriesS) {
        if (seconds > 0.0)
            told.parts.push_back({category, inSentence(category), seconds});
    }
    byValue(told.parts);
    if (work.idleS > 0.0)
        told.parts.push_back({"idle", "idle", work.idleS});
    told.values = {{"traced_s", work.tracedS}, {"busy_s", work.busyS}, {"idle_s", work.idleS},
        {"exposed_communication_s", work.exposedS}, {"copy_s", work.copyS},
        {"busy_share", work.busyS / work.tracedS}};
    const std::string parts = toldShares(told.parts, work.tracedS);
    told.text = fmt::format("{} worked for {} of the traced time{}{}; {}",
        work.devices == 1 ? "The GPU" : fmt::format("{} GPUs", work.devices),
        text::roundedPercent(work.busyS / work.tracedS), parts.empty() ? "" : ": ", parts,
        idleText(work));
    if (work.exposedS > kToldShareOfTime * work.tracedS)
        told.text += fmt::format(
            "; exposed communication {}", text::roundedPercent(work.exposedS / work.tracedS));
    told.text += ".";
    return told;
}

std::optional<OverviewSentence> shiftSentence(const OverviewInputs& inputs) {
    const auto& changes = inputs.facts.changes;
    const auto most = std::ranges::max_element(
        changes, {}, [](const IterationChange& one) { return std::abs(one.cost); });
    if (most == changes.end())
        return std::nullopt;
    OverviewSentence told;
    told.topic = Topic::Shift;
    told.weight = 0.95;
    told.unit = "s";
    told.text = changeText(*most);
    if (changes.size() > 1)
        told.text.insert(told.text.size() - 1,
            fmt::format("; {} in all", text::counted(std::ssize(changes), "change")));
    told.values = {{"iteration", most->index}, {"step_time_before_s", most->seconds.before},
        {"step_time_after_s", most->seconds.after}, {"changes", changes.size()}};
    told.parts = {{{}, "before", most->seconds.before}, {{}, "after", most->seconds.after}};
    told.evidence = {-1, most->range, {}};
    return told;
}

std::optional<OverviewSentence> pathSentence(const OverviewInputs& inputs) {
    const auto& replay = inputs.facts.replay;
    if (!replay || replay->path.seconds <= 0.0)
        return std::nullopt;
    const CriticalPath& path = replay->path;
    OverviewSentence told;
    told.topic = Topic::Path;
    told.unit = "s";
    told.isWhole = true;
    for (const auto& [category, seconds] : path.byCategory)
        told.parts.push_back({category,
            category == "host" || category == "delay" ? category : inSentence(category), seconds});
    byValue(told.parts);
    told.values = {{"replayed_step_s", replay->replayedS}, {"path_host_s", path.hostS},
        {"path_communication_s", path.exposedOnPathS}};
    told.text = fmt::format("On the critical path of the step of {} lie {}: {}",
        text::seconds(replay->measuredS), pathPartsText(*replay),
        toldShares(told.parts, path.seconds));
    const auto first = std::ranges::max_element(path.top, {}, &PathRow::gainS);
    if (first != path.top.end() && first->gainS.value_or(0.0) > kToldShareOfTime * path.seconds) {
        told.values["first_gain_s"] = *first->gainS;
        told.text += fmt::format("; first to speed up: {} (up to −{})",
            text::elidedInMiddle(first->name, kToldName), text::seconds(*first->gainS));
        told.evidence.rank = first->rank;
    }
    told.text += '.';
    told.evidence.range = path.pieces.empty()
        ? inputs.facts.run.range
        : TimeRange{path.pieces.front().when.begin, path.pieces.back().when.end};
    told.weight = 0.9;
    return told;
}

std::optional<OverviewSentence> energySentence(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    OverviewSentence told;
    told.topic = Topic::Energy;
    told.unit = "J";
    told.weight = 0.9;
    if (!facts.whole.energy || facts.whole.energy->joules <= 0.0) {
        if (!facts.whole.nodeEnergy || facts.whole.nodeEnergy->joules <= 0.0)
            return std::nullopt;
        const bool isOneNode = facts.whole.nodes.size() <= 1;
        told.values["node_energy_j"] = facts.whole.nodeEnergy->joules;
        told.evidence = {-1, facts.run.range, metric::kNodePower};
        told.text = fmt::format("{} took {}", isOneNode ? "The node" : "The nodes",
            text::rounded(facts.whole.nodeEnergy->joules, "J"));
        if (const auto mean = wholeMean(facts, metric::kNodePower)) {
            told.values["mean_node_power_w"] = *mean;
            told.text += fmt::format(
                ", {}{} in the mean", text::rounded(*mean, "W"), isOneNode ? "" : " a node");
        }
        told.text += ".";
        return told;
    }
    told.evidence = {-1, facts.run.range, metric::kGpuPower};
    told.values["energy_j"] = facts.whole.energy->joules;
    const auto metered = std::count_if(facts.whole.gpus.begin(), facts.whole.gpus.end(),
        [](const GpuSummary& gpu) { return gpu.energy.has_value(); });
    const int gpus = overviewGpus(inputs);
    told.text = fmt::format("{} took {}",
        isOneGpu(inputs)     ? "The GPU"
            : metered < gpus ? partOfGpus(metered, gpus)
                             : fmt::format("The {} GPUs", gpus),
        text::rounded(facts.whole.energy->joules, "J"));
    if (const auto mean = wholeMean(facts, metric::kGpuPower)) {
        told.values["mean_power_w"] = *mean;
        told.text += fmt::format(
            ", {}{} in the mean", text::rounded(*mean, "W"), isOneGpu(inputs) ? "" : " a GPU");
    }
    if (const auto step = facts.efficiency.energyPerStepJ) {
        told.values["energy_per_step_j"] = *step;
        told.text += fmt::format("; {} a step", text::rounded(*step, "J"));
    }
    if (const auto tokens = facts.efficiency.tokensPerJ; tokens && *tokens > 0.0) {
        told.values["energy_per_token_j"] = 1.0 / *tokens;
        told.text += fmt::format(", {} a token", text::rounded(1.0 / *tokens, "J"));
    }
    if (const auto between = facts.efficiency.energyBetweenStepsJ) {
        told.values["energy_between_steps_j"] = *between;
        told.text += fmt::format(", and {} more between steps", text::rounded(*between, "J"));
    }
    told.text += tracedEnergyText(inputs, told) + ".";
    return told;
}

std::optional<OverviewSentence> heatSentence(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    OverviewSentence told;
    told.topic = Topic::Heat;
    told.weight = 0.3;
    told.unit = "°C";
    const HeatPeaks heat = heatPeaks(facts, metric::kGpuTemperature);
    if (heat.most == nullptr && !facts.throttling)
        return std::nullopt;
    std::string text;
    if (heat.most != nullptr) {
        told.values["peak_temperature_c"] = heat.highest;
        told.evidence = {heat.most->gpu.rank, facts.run.range, metric::kGpuTemperature};
        told.picturedRank = heat.most->gpu.rank;
        text = heat.gpus == 1
            ? fmt::format("{} reached {}",
                isOneGpu(inputs) ? "The GPU" : fmt::format("Rank {}", heat.most->gpu.rank),
                text::rounded(heat.highest, "°C"))
            : fmt::format("Rank {} was the hottest with {}, the coolest GPU reached {}",
                heat.most->gpu.rank, text::rounded(heat.highest, "°C"),
                text::rounded(heat.lowestPeak, "°C"));
    }
    if (facts.throttling) {
        const std::string throttled = throttledText(inputs, told);
        const bool isNever = throttled.starts_with("never");
        if (text.empty())
            text = isOneGpu(inputs) ? "The GPU " + throttled : "The GPUs " + throttled;
        else
            text += (isOneGpu(inputs) ? (isNever ? " and " : "; it ")
                                      : (isNever ? "; the GPUs " : "; GPUs "))
                + throttled;
    }
    told.text = text + ".";
    return told;
}

std::optional<OverviewSentence> limitSentence(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    const auto all = together(facts.aboveLimit);
    if (!all || all->coveredSeconds <= 0.0)
        return std::nullopt;
    const auto worst = std::max_element(facts.aboveLimit.begin(), facts.aboveLimit.end(),
        [](const AboveLimit& a, const AboveLimit& b) {
            return a.seconds != b.seconds ? a.seconds < b.seconds : a.highestW < b.highestW;
        });
    const TimeRange longest = longestStay(*worst);
    OverviewSentence told;
    told.topic = Topic::Limit;
    told.unit = "W";
    told.evidence = {worst->rank, longest.isEmpty() ? facts.run.range : longest, metric::kGpuPower};
    told.values = {{"limit_w", all->limitW}, {"seconds", all->seconds}, {"share", all->share},
        {"highest_w", all->highestW}};
    if (all->seconds <= 0.0) {
        told.weight = 0.1;
        told.text = fmt::format("Power stayed below the limit of {}: {} at the highest.",
            text::rounded(all->limitW, "W"), text::rounded(all->highestW, "W"));
        return told;
    }
    told.weight = 0.4 + all->share;
    told.text = fmt::format("Power was above the limit of {} for {}{}, {} of {}, and reached {}",
        text::rounded(all->limitW, "W"), text::rounded(all->seconds, "s"),
        isOneGpu(inputs) ? "" : " summed over the GPUs", text::roundedPercent(all->share),
        isOneGpu(inputs) ? "the time" : "their time", text::rounded(all->highestW, "W"));
    if (!facts.kernelsAbove.empty())
        told.text += fmt::format("; most of that, as far as it was traced, in {}",
            text::elidedInMiddle(facts.kernelsAbove.front().name, kToldName));
    told.text += ".";
    return told;
}

std::optional<OverviewSentence> ranksSentence(const OverviewInputs& inputs) {
    const RunFacts& facts = inputs.facts;
    if (isOneGpu(inputs) || !facts.communication || inputs.work.tracedS <= 0.0)
        return std::nullopt;
    OverviewSentence told;
    told.topic = Topic::Ranks;
    told.unit = "s";
    double waitS = 0.0;
    const RankCommunication* waiting = nullptr;
    for (const RankCommunication& rank : facts.communication->ranks) {
        waitS += rank.waitS;
        if (!facts.causes)
            told.parts.push_back({{}, fmt::format("rank {}", rank.rank), rank.causedWaitS});
        if (waiting == nullptr || rank.waitS > waiting->waitS)
            waiting = &rank;
    }
    if (facts.causes) { // as the findings tell it
        waitS = facts.causes->waitS;
        for (const WaitCause& cause : facts.causes->causes) {
            if (cause.rank != kNoRank)
                told.parts.push_back({{}, fmt::format("rank {}", cause.rank), cause.waitS});
        }
    }
    if (waiting == nullptr || waitS <= 0.0)
        return std::nullopt;
    byValue(told.parts);
    const double share = waitS / inputs.work.tracedS;
    told.values = {{"wait_s", waitS}, {"wait_share", share}};
    told.weight = 0.4 + share;
    const auto stragglers = stragglersOf(facts);
    if (!stragglers.empty()) {
        const WaitCause& cause = *stragglers.front();
        told.evidence = {cause.worstRank, cause.worst, {}};
        told.values["straggler"] = cause.rank;
        told.values["caused_wait_s"] = cause.waitS;
        told.text = fmt::format("Rank {} keeps the others waiting: {} of {} that ranks wait for "
                                "each other, {} of the traced time.",
            cause.rank, text::seconds(cause.waitS), text::seconds(waitS),
            text::roundedPercent(share));
        return told;
    }
    told.evidence = {waiting->rank, inputs.work.window, {}};
    told.text = fmt::format("Ranks wait {} for each other, {} of the traced time, rank {} most "
                            "with {}; no rank causes it alone.",
        text::seconds(waitS), text::roundedPercent(share), waiting->rank,
        text::seconds(waiting->waitS));
    return told;
}

std::optional<OverviewSentence> changeSentence(const OverviewInputs& inputs) {
    if (!inputs.before)
        return std::nullopt;
    const RunBefore& before = *inputs.before;
    const double now = before.stepTimeS;
    const double then = before.stepTimeBeforeS;
    const auto difference = differenceOf(before.stepsBefore, before.steps);
    OverviewSentence told;
    told.topic = Topic::Change;
    told.weight = 0.8;
    told.evidence = {-1, inputs.facts.run.range, {}};
    told.unit = "s";
    told.parts = {{{}, inputs.facts.run.name, now}, {{}, before.name, then}};
    told.values = {{"step_time_s", now}, {"step_time_before_s", then}, {"ratio", now / then}};
    const std::string both = fmt::format("{} against {}, over {} and {} steps after warm-up",
        text::seconds(now), text::seconds(then), before.steps.count, before.stepsBefore.count);
    if (difference && !difference->isBeyond())
        told.text
            = fmt::format("A step takes as long as in the run before, '{}', within the spread: {}.",
                before.name, both);
    else
        told.text = fmt::format("A step takes {} {} time than in the run before, '{}': {}{}.",
            text::roundedPercent(std::abs(now / then - 1.0)), now < then ? "less" : "more",
            before.name, both,
            difference ? "" : "; too few steps tell whether that is more than chance");
    return told;
}

} // namespace trainscope::analysis
