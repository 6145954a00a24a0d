#include "core/analysis/findings/Rules.h"
#include "core/text/NumberMarks.h"

#include "core/analysis/traces/KernelCategory.h"

namespace trainscope::analysis {

namespace {

constexpr double kToldShare = 0.001; // share of the traced time
constexpr double kMostOfCopies = 0.9; // share of the copies' time at which one direction names them

double sumOver(const std::vector<TracedDevice>& devices, double TracedDevice::*seconds) {
    double sum = 0.0;
    for (const TracedDevice& device : devices)
        sum += device.*seconds;
    return sum;
}

// The device whose share is the largest.
const TracedDevice& worstOf(
    const std::vector<TracedDevice>& devices, double TracedDevice::*seconds) {
    return *std::ranges::max_element(devices, [seconds](const auto& a, const auto& b) {
        return a.*seconds * b.windowS < b.*seconds * a.windowS;
    });
}

std::string tracedText(const RunFacts& facts) {
    return fmt::format("{} traced on {}{}{}", text::seconds(facts.tracedS()),
        text::counted(static_cast<std::int64_t>(facts.traced.size()), "GPU", "GPUs"),
        facts.tracedPart.empty() ? "" : ", ", facts.tracedPart);
}

// A share of the traced time that is a cost as it is, beside what stragglers explain of it.
struct Share {
    const char* rule;
    double TracedDevice::*seconds;
    double threshold;
    const char* sentence; // {} the share, {} beside what, {} where most
    const char* what;
};

bool isOnOneRank(const std::vector<TracedDevice>& devices) {
    return std::ranges::all_of(
        devices, [&devices](const TracedDevice& one) { return one.rank == devices.front().rank; });
}

// "; most on rank 3, 12 %"; empty where one rank was traced.
std::string mostText(
    const std::vector<TracedDevice>& devices, const TracedDevice& worst, double share) {
    return isOnOneRank(devices)
        ? std::string()
        : fmt::format("; most on rank {}, {}", worst.rank, text::roundedPercent(share));
}

// " beside what the lateness of rank 3 explains", where that is something.
std::string besideText(const RunFacts& facts, double explained) {
    if (explained < kToldShare)
        return {};
    std::set<int> ranks;
    for (const WaitCause* cause : stragglersOf(facts))
        ranks.insert(cause->rank);
    return fmt::format(" beside what the lateness of {} {} explains",
        ranks.size() == 1 ? "rank" : "ranks", text::numberList(ranks));
}

// False: it does not speak.
bool addShare(const Share& share, const RunFacts& facts, const std::vector<TracedDevice>& devices,
    Findings& found) {
    const double all = sumOver(devices, &TracedDevice::windowS);
    const double part = sumOver(devices, share.seconds);
    const double explained = sumOver(facts.traced, share.seconds) - part;
    if (all <= 0.0 || part / all < share.threshold)
        return false;
    const TracedDevice& worst = worstOf(devices, share.seconds);
    const double worstShare = worst.*share.seconds / worst.windowS;
    found.push_back({share.rule,
        fmt::format(fmt::runtime(share.sentence), text::roundedPercent(part / all),
            besideText(facts, explained / all), mostText(devices, worst, worstShare)),
        {{"fraction", part / all}, {"seconds", part}, {"traced_s", all},
            {"worst_rank_fraction", worstShare}},
        {worst.rank, worst.window, {}},
        text::roundedPercent(share.threshold) + " of the traced time",
        fmt::format("{}: {}", share.what, tracedText(facts)), severityOfCost(part / all),
        part / all});
    if (explained > 0.0)
        found.back().values["explained_s"] = explained;
    return true;
}

} // namespace

void findExposedCommunication(const RunFacts& facts, Findings& found) {
    const Share share{"exposed_communication", &TracedDevice::exposedS, kExposedFraction,
        "Exposed communication costs {} of the step{}{}",
        "captures of each device, first to last work; communication while no compute kernel runs"};
    const std::vector<TracedDevice> devices = withoutStragglers(facts);
    if (!addShare(share, facts, devices, found))
        return;
    Finding& finding = found.back();
    const double all = sumOver(devices, &TracedDevice::windowS);
    std::map<std::string, double> kinds;
    for (const TracedDevice& device : devices) {
        for (const auto& [kind, seconds] : device.exposedByKindS)
            kinds[kind] += seconds;
    }
    std::vector<std::pair<double, std::string>> byTime;
    for (const auto& [kind, seconds] : kinds) {
        finding.values[kind + "_fraction"] = seconds / all;
        byTime.emplace_back(seconds, kind);
    }
    std::sort(byTime.rbegin(), byTime.rend());
    std::string list;
    for (const auto& [seconds, kind] : byTime) {
        if (seconds / all >= kToldShare)
            list += (list.empty() ? "" : ", ") + std::string(KernelCategories::label(kind)) + " "
                + text::roundedPercent(seconds / all);
    }
    finding.text += list.empty() ? "." : ". By kind: " + list + ".";
    if (facts.replay && facts.replay->replayedS > 0.0) {
        const double onPath = facts.replay->path.exposedOnPathS / facts.replay->replayedS;
        finding.values["on_critical_path_s"] = facts.replay->path.exposedOnPathS;
        finding.values["on_critical_path_fraction"] = onPath;
        finding.text += fmt::format(
            " Communication is {} of the critical path.", text::roundedPercent(onPath));
    }
}

void findIdleTime(const RunFacts& facts, Findings& found) {
    addShare({"idle_gpu", &TracedDevice::idleS, kIdleFraction,
                 facts.traced.size() == 1 ? "The GPU is idle for {} of the traced time{}{}."
                                          : "GPUs are idle for {} of the traced time{}{}.",
                 "captures of each device, first to last work; nothing runs"},
        facts, withoutStragglers(facts), found);
}

void findCopies(const RunFacts& facts, Findings& found) {
    std::map<std::string, double> directions;
    for (const TracedDevice& device : facts.traced) {
        for (const auto& [direction, seconds] : device.copiesS)
            directions[direction] += seconds;
    }
    const auto most
        = std::ranges::max_element(directions, {}, [](const auto& one) { return one.second; });
    static const std::map<std::string, std::string> subjects{
        {"HtoD", "Copies from the host to the GPU"}, {"DtoH", "Copies from the GPU to the host"},
        {"DtoD", "Copies within the GPU"}, {"PtoP", "Copies between GPUs"}};
    const auto subject = most == directions.end() ? subjects.end() : subjects.find(most->first);
    double all = 0.0;
    for (const auto& [direction, seconds] : directions)
        all += seconds;
    const bool isMostOfIt = subject != subjects.end() && most->second >= kMostOfCopies * all;
    const std::string sentence = (isMostOfIt ? subject->second : "Copies and memory sets")
        + " take {} of the traced time{}, while no kernel runs{}.";
    addShare({"gpu_copies", &TracedDevice::copyS, kCopyFraction, sentence.c_str(),
                 "captures of each device, first to last work; only copies and memory sets run"},
        facts, facts.traced, found);
    if (found.empty() || found.back().rule != "gpu_copies")
        return;
    for (const auto& [direction, seconds] : directions)
        found.back().values[direction + "_s"] = seconds;
}

void findHostBound(const RunFacts& facts, Findings& found) {
    addShare({"host_bound", &TracedDevice::hostBoundS, kHostBoundFraction,
                 facts.traced.size() == 1
                     ? "The GPU waits for the host for {} of the traced time{}: its next work was "
                       "not yet launched{}."
                     : "GPUs wait for the host for {} of the traced time{}: their next work was "
                       "not yet launched{}.",
                 "captures of each device, first to last work"},
        facts, withoutStragglers(facts), found);
}

void findBubbles(const RunFacts& facts, Findings& found) {
    if (!facts.pipeline || !facts.pipeline->isOfIterations || facts.traced.empty()
        || facts.pipeline->bubbleFraction < kBubbleFraction)
        return;
    const double measured = facts.pipeline->bubbleFraction;
    const auto ideal = facts.pipeline->idealBubbleFraction;
    if (!ideal || measured < kBubbleOverIdeal * *ideal)
        return;
    const TracedDevice& worst = worstOf(facts.traced, &TracedDevice::idleS);
    const double cost = measured - *ideal;
    found.push_back({"pipeline_bubbles",
        fmt::format("Pipeline bubbles take {} of the time, {:.2g} times the {} that {} "
                    "would have at best.",
            text::roundedPercent(measured), text::worded(measured / std::max(*ideal, 1e-9)),
            text::roundedPercent(*ideal), text::counted(facts.pipeline->stageCount, "stage")),
        {{"fraction", measured}, {"ideal_fraction", *ideal},
            {"stages", facts.pipeline->stageCount}},
        {worst.rank, worst.window, {}},
        fmt::format("{} of the time and {} times the ideal", text::roundedPercent(kBubbleFraction),
            text::worded(kBubbleOverIdeal)),
        "traced iterations of all ranks; the ideal is (p − 1)/(v·m + p − 1) of p stages, m "
        "micro-batches "
        "and v virtual stages",
        severityOfCost(cost), cost});
}

} // namespace trainscope::analysis
