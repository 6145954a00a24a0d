#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/figures/timeline/LaneLoad.h"

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TimeTicks.h"

#include <fmt/format.h>

#include <tuple>

namespace trainscope::figures {

using namespace plot;

namespace {

// Above this the list would be longer than anyone reads; single GPUs are then reached by splitting
// the lane of all.
constexpr std::size_t kMostRanksListed = 128;
constexpr double kLineHeight = 120.0;
constexpr double kSingleHeight = 88.0; // a single GPU
constexpr double kThreadHeight = 220.0;
constexpr double kLogHeight = 88.0; // values from a training log
constexpr double kStatesHeight = 96.0; // rows of named states

struct Known {
    std::vector<Metric> metrics; // by first appearance in the registry's order, then by name
    std::map<std::string, SubjectKind> subjects; // by metric; GPUs before nodes before others
    std::map<std::string, std::size_t, std::less<>> subjectCounts; // by metric; the run with most
    std::set<int> gpuRanks;
    std::set<int> streamRanks;
    std::set<int> threadRanks;
};

Known collect(const Catalogue& catalogue) {
    Known known;
    for (const auto& run : catalogue.runs) {
        std::map<std::string, std::set<std::tuple<SubjectKind, int, int, std::string>>> subjects;
        for (const auto& series : run.series) {
            const auto& description = series.description;
            if (description.subject.kind == SubjectKind::Gpu)
                known.gpuRanks.insert(description.subject.rank);
            if (series.count == series.missing)
                continue;
            const Subject& of = description.subject;
            subjects[description.metric.name].emplace(of.kind, of.rank, of.node, of.device);
            const auto [subject, isNew]
                = known.subjects.try_emplace(description.metric.name, description.subject.kind);
            subject->second = std::min(subject->second, description.subject.kind);
            if (isNew)
                known.metrics.push_back(description.metric);
        }
        for (const auto& [metric, different] : subjects) {
            std::size_t& count = known.subjectCounts[metric];
            count = std::max(count, different.size());
        }
        for (const auto& track : run.tracks) {
            if (track.count == 0)
                continue;
            if (track.description.kind == TrackKind::Stream)
                known.streamRanks.insert(track.description.rank);
            if (track.description.kind == TrackKind::Thread)
                known.threadRanks.insert(track.description.rank);
        }
    }
    const auto place = [](const Metric& metric) {
        const auto& registry = metricRegistry();
        const auto at = std::ranges::find(registry, metric.name, &Metric::name);
        return at - registry.begin();
    };
    std::ranges::stable_sort(known.metrics, [&](const Metric& a, const Metric& b) {
        return std::pair(place(a), a.name) < std::pair(place(b), b.name);
    });
    return known;
}

bool has(const Known& known, std::string_view metric) {
    return std::ranges::any_of(
        known.metrics, [metric](const Metric& candidate) { return candidate.name == metric; });
}

LaneStyle styleFor(const Known& known, std::string_view metric) {
    const auto count = known.subjectCounts.find(metric);
    const bool several = count != known.subjectCounts.end() && count->second > 1;
    const bool isTemperature = metric.find("temperature") != std::string_view::npos;
    return several && isTemperature ? LaneStyle::Heat : LaneStyle::Lines;
}

using Alternatives = std::initializer_list<std::string_view>;

// The first of the alternatives that the runs have.
void addFirst(Arrangement& arrangement, const Known& known, Alternatives names, double height) {
    for (const auto name : names) {
        if (!has(known, name))
            continue;
        arrangement.lanes.push_back(
            {styleFor(known, name), std::string(name), std::nullopt, height});
        return;
    }
}

double kernelHeight(std::size_t ranks) {
    return 44.0 + 20.0 * static_cast<double>(std::clamp<std::size_t>(ranks, 2, 8));
}

bool isOfRun(const Known& known, const Metric& metric) {
    return known.subjects.at(metric.name) == SubjectKind::Run;
}

std::string laneLabel(const Metric& metric) {
    return metric.label.empty() ? metric.name : metric.label;
}

bool isOneOf(std::string_view name, Alternatives names) {
    return std::ranges::find(names, name) != names.end();
}

// Kinds that neither unit nor subject tells.
std::optional<LaneGroup> namedLaneGroup(std::string_view name) {
    if (name.starts_with("cpu_") || isOneOf(name, {metric::kDramPower, metric::kSamplingDelay}))
        return LaneGroup::Host;
    if (name.starts_with("ecc_") || name.starts_with("torch_mem_")
        || isOneOf(name, {metric::kMemUsed, metric::kMemTotal}))
        return LaneGroup::Memory;
    if (isOneOf(name, {metric::kThrottleReasons, "pstate"}))
        return LaneGroup::Clocks;
    if (name == metric::kFanSpeed)
        return LaneGroup::Heat;
    if (isOneOf(name,
            {metric::kLoss, metric::kGradNorm, metric::kLearningRate, metric::kStepTime,
                metric::kTokenRate, metric::kSampleRate, metric::kStepTokens, metric::kStepSamples,
                metric::kReportedFlops, metric::kReportedMfu}))
        return LaneGroup::Training;
    return std::nullopt;
}

LaneGroup laneGroupOf(const Metric& metric) {
    if (const auto named = namedLaneGroup(metric.name))
        return *named;
    const std::string& unit = metric.unit;
    if (unit == "W" || unit == "J")
        return LaneGroup::Power;
    if (unit == "°C")
        return LaneGroup::Heat;
    if (unit == "Hz")
        return LaneGroup::Clocks;
    if (unit == "B" && metric.kind == MetricKind::Gauge)
        return LaneGroup::Memory;
    if (unit == "B" || unit == "B/s")
        return LaneGroup::Links;
    return isShownAsPercent(metric.name, unit) ? LaneGroup::Utilisation : LaneGroup::Other;
}

LaneChoice laneChoiceOf(const Known& known, const Metric& metric) {
    if (isOfRun(known, metric))
        return {{LaneStyle::Lines, metric.name, {}, kLogHeight}, laneLabel(metric),
            LaneGroup::Training};
    const double height = isShared(metric.kind) ? kStatesHeight : kLineHeight;
    return {{styleFor(known, metric.name), metric.name, {}, height}, laneLabel(metric),
        laneGroupOf(metric)};
}

LaneSpec kernelLane(const Known& known) {
    return {LaneStyle::Kernels, {}, std::nullopt, kernelHeight(known.streamRanks.size())};
}

LaneSpec threadLane(int rank) {
    return {LaneStyle::Thread, {}, rank, kThreadHeight};
}

void addTraces(std::vector<LaneChoice>& choices, const Known& known) {
    if (!known.streamRanks.empty())
        choices.push_back({kernelLane(known), "Kernels", LaneGroup::Traces});
    for (const int rank : known.threadRanks)
        choices.push_back(
            {threadLane(rank), fmt::format("Host threads, rank {}", rank), LaneGroup::Traces});
    if (known.streamRanks.size() < 2)
        return;
    for (const int rank : known.streamRanks)
        choices.push_back({{LaneStyle::Kernels, {}, rank, kSingleHeight},
            fmt::format("Kernels, rank {}", rank), LaneGroup::Traces});
}

} // namespace

Arrangement defaultArrangement(const Catalogue& catalogue) {
    const Known known = collect(catalogue);
    Arrangement arrangement;
    addFirst(arrangement, known, {metric::kGpuPower, metric::kGpuPowerAverage}, 140.0);
    addFirst(arrangement, known, {metric::kNodePower}, kLineHeight);
    addFirst(arrangement, known, {metric::kSwitchPower}, 88.0);
    addFirst(arrangement, known, {metric::kGpuTemperature, metric::kMemTemperature}, 140.0);
    addFirst(arrangement, known, {metric::kSmClock}, 88.0);
    addFirst(arrangement, known, {metric::kNvlinkRx, metric::kNvlinkRxRate}, 88.0);
    addFirst(arrangement, known, {metric::kPcieRx, metric::kPcieRxRate}, 88.0);
    addFirst(arrangement, known, {metric::kIbRx, metric::kIbTx}, 88.0);
    const std::size_t ofMachine = arrangement.lanes.size();
    addFirst(arrangement, known, {metric::kLoss}, kLogHeight);
    addFirst(arrangement, known,
        {metric::kTokenRate, metric::kSampleRate, metric::kReportedFlops, metric::kStepTime},
        kLogHeight);
    if (ofMachine < 3)
        addFirst(arrangement, known, {metric::kGpuUtilization}, 88.0);
    if (ofMachine == 0)
        addFirst(arrangement, known, {metric::kTorchAllocated, metric::kMemUsed}, 88.0);
    if (!known.streamRanks.empty())
        arrangement.lanes.push_back(kernelLane(known));
    const bool telemetry = !known.metrics.empty();
    if (!known.threadRanks.empty() && (ofMachine == 0 || known.streamRanks.empty()))
        arrangement.lanes.push_back(threadLane(*known.threadRanks.begin()));
    if (arrangement.lanes.empty() && telemetry)
        arrangement.lanes.push_back(
            {LaneStyle::Lines, known.metrics.front().name, std::nullopt, 140.0});
    return arrangement;
}

std::vector<LaneChoice> laneChoices(const Catalogue& catalogue) {
    const Known known = collect(catalogue);
    std::vector<LaneChoice> choices;
    for (const auto& metric : known.metrics)
        choices.push_back(laneChoiceOf(known, metric));
    addTraces(choices, known);
    if (known.gpuRanks.size() < 2 || known.gpuRanks.size() > kMostRanksListed)
        return choices;
    for (const auto& metric : known.metrics) {
        if (isOfRun(known, metric))
            continue;
        for (const int rank : known.gpuRanks)
            choices.push_back({{LaneStyle::Lines, metric.name, rank, kSingleHeight},
                fmt::format("{}, rank {}", laneLabel(metric), rank), laneGroupOf(metric)});
    }
    return choices;
}

std::vector<LaneChoice> missingLanes(const Catalogue& catalogue) {
    const Known known = collect(catalogue);
    std::vector<LaneChoice> missing;
    for (const auto& metric : metricRegistry()) {
        if (!has(known, metric.name))
            missing.push_back({{LaneStyle::Lines, metric.name, {}, kLineHeight}, metric.label,
                laneGroupOf(metric)});
    }
    if (known.streamRanks.empty())
        missing.push_back({kernelLane(known), "Kernels", LaneGroup::Traces});
    if (known.threadRanks.empty())
        missing.push_back({threadLane(0), "Host threads", LaneGroup::Traces});
    return missing;
}

DefaultStyle defaultStyle(const Catalogue& catalogue, std::string_view metric) {
    const Known known = collect(catalogue);
    const auto count = known.subjectCounts.find(metric);
    if (count == known.subjectCounts.end())
        return {};
    const SubjectNoun noun = nounOf(known.subjects.find(std::string(metric))->second);
    return {styleFor(known, metric),
        fmt::format("{} {}", count->second, count->second == 1 ? noun.one : noun.many)};
}

std::string_view nameOf(LaneGroup group) {
    constexpr std::array<std::string_view, 10> kNames{"Power", "Heat", "Clocks", "Utilisation",
        "Memory", "Links", "Host", "Traces", "Training", "Other"};
    return kNames.at(static_cast<std::size_t>(group));
}

namespace {

constexpr std::string_view kKernelsLane = "kernels";
constexpr std::string_view kThreadsLane = "threads";

// Lanes of a preset: each the first of its alternatives that the runs have.
struct PresetRow {
    std::string_view title;
    std::string_view lacks;
    std::vector<std::vector<std::string_view>> lanes;
};

const std::vector<PresetRow>& presetTable() {
    using namespace metric;
    // clang-format off
    static const std::vector<PresetRow> table{
        {"Power and heat", "neither power, temperatures nor clocks",
            {{kGpuPower, kGpuPowerAverage}, {kModulePower}, {kMemPower}, {kNodePower},
             {kGpuTemperature}, {kHotspotTemperature}, {kMemTemperature}, {kInletTemperature},
             {kFanSpeed}, {kSmClock}, {kThrottleReasons}}},
        {"Communication", "neither links nor kernels",
            {{kNvlinkRx, kNvlinkRxRate}, {kNvlinkTx, kNvlinkTxRate}, {kXgmiRx}, {kXgmiTx},
             {kPcieRx, kPcieRxRate, "pcie_rate"}, {kPcieTx, kPcieTxRate}, {kIbRx}, {kIbTx},
             {kNetRx}, {kNetTx}, {kKernelsLane}}},
        {"Host", "neither processors, nodes nor threads of the host",
            {{kCpuUtilization}, {kCpuPower}, {kCpuTemperature}, {kDramPower}, {kNodePower},
             {kNetRx}, {kNetTx}, {kThreadsLane}}},
    };
    // clang-format on
    return table;
}

std::optional<LaneSpec> presetLane(const Known& known, std::string_view name) {
    if (name == kKernelsLane)
        return known.streamRanks.empty() ? std::nullopt : std::optional(kernelLane(known));
    if (name == kThreadsLane)
        return known.threadRanks.empty() ? std::nullopt
                                         : std::optional(threadLane(*known.threadRanks.begin()));
    const auto metric = std::ranges::find(known.metrics, name, &Metric::name);
    return metric == known.metrics.end() ? std::nullopt
                                         : std::optional(laneChoiceOf(known, *metric).lane);
}

} // namespace

std::vector<LanePreset> lanePresets(const Catalogue& catalogue) {
    const Known known = collect(catalogue);
    std::vector<LanePreset> presets;
    for (const PresetRow& row : presetTable()) {
        LanePreset preset{row.title, row.lacks, {}};
        for (const auto& alternatives : row.lanes) {
            const auto found = std::ranges::find_if(alternatives,
                [&known](std::string_view name) { return presetLane(known, name).has_value(); });
            if (found != alternatives.end())
                preset.arrangement.lanes.push_back(*presetLane(known, *found));
        }
        presets.push_back(std::move(preset));
    }
    // The calls of a rank above the streams that they feed.
    LanePreset launches{"Launches", "no rank with both threads and kernels", {}};
    const auto rank = std::ranges::find_if(
        known.threadRanks, [&known](int one) { return known.streamRanks.contains(one); });
    if (rank != known.threadRanks.end())
        launches.arrangement.lanes
            = {threadLane(*rank), {LaneStyle::Kernels, {}, *rank, kSingleHeight}};
    presets.push_back(std::move(launches));
    return presets;
}

namespace {

// None where they leave out nothing of the run: its strip would say nothing.
std::vector<Capture> shownCaptures(std::vector<Capture> captures, const std::vector<Series>& series,
    const std::vector<Track>& tracks) {
    TimeRange extent = captures.empty() ? TimeRange{} : captures.front().range;
    const auto widen = [&extent](const TimeRange& range) {
        extent = {std::min(extent.begin, range.begin), std::max(extent.end, range.end)};
    };
    for (const Series& one : series)
        widen(one.range);
    for (const Track& one : tracks)
        widen(one.range);
    const bool isWhole = std::ranges::all_of(captures, [&extent](const Capture& one) {
        constexpr double kWhole = 0.9;
        return one.range.length().seconds() >= kWhole * extent.length().seconds();
    });
    return isWhole ? std::vector<Capture>() : analysis::namedCaptures(std::move(captures));
}

// Power limits of the GPUs that have power, W; a recorded limit is its mean.
std::map<int, double> powerLimits(
    const std::vector<Run>& runs, RunId id, const std::vector<Series>& series) {
    std::map<int, double> limits;
    const auto run = std::ranges::find(runs, id, &Run::id);
    if (run == runs.end())
        return limits;
    for (const auto& [rank, gpu] : analysis::gpuSeriesByRank(series)) {
        const auto limit = analysis::powerLimitOf(*run, gpu);
        if (limit && gpu.contains(metric::kGpuPower))
            limits[rank] = limit->watts;
    }
    return limits;
}

} // namespace

Result<Catalogue> readCatalogue(const store::Store& store, const std::vector<ShownRun>& all) {
    Catalogue catalogue;
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    for (const auto& shown : all) {
        ASSIGN_OR_RETURN(auto gpus, store.gpus(shown.id));
        ASSIGN_OR_RETURN(auto series, store.series(shown.id));
        ASSIGN_OR_RETURN(auto tracks, store.tracks(shown.id));
        ASSIGN_OR_RETURN(auto iterations, store.iterations(shown.id));
        ASSIGN_OR_RETURN(auto captures, store.captures(shown.id));
        captures = shownCaptures(std::move(captures), series, tracks);
        ASSIGN_OR_RETURN(auto phases, analysis::namedPhasesOf(store, tracks));
        auto limits = powerLimits(runs, shown.id, series);
        catalogue.runs.push_back({std::move(gpus), std::move(series), std::move(tracks),
            mainIterations(iterations), std::move(captures), std::move(phases), std::move(limits)});
    }
    return catalogue;
}

} // namespace trainscope::figures
