#include "core/analysis/telemetry/Throttling.h"
#include "core/figures/timeline/LaneLoad.h"

#include "core/analysis/iterations/NamedPhases.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TimeTicks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace trainscope::figures {

using namespace plot;

namespace {

// Above this the menu would be longer than anyone reads; single GPUs are then reached through the
// run's own lanes.
constexpr std::size_t kMostRanksListed = 128;
constexpr double kLogHeight = 88.0; // of what a training log says
constexpr double kStatesHeight = 96.0; // of rows of named states

struct Known {
    std::vector<Metric> metrics; // by first appearance in the registry's order, then by name
    std::map<std::string, SubjectKind> subjects; // of a metric; GPUs before nodes before others
    std::set<int> gpuRanks;
    std::set<int> streamRanks;
    std::set<int> threadRanks;
};

Known collect(const Catalogue& catalogue) {
    Known known;
    for (const auto& run : catalogue.runs) {
        for (const auto& series : run.series) {
            const auto& description = series.description;
            if (description.subject.kind == SubjectKind::Gpu)
                known.gpuRanks.insert(description.subject.rank);
            if (series.count == series.missing)
                continue;
            const auto [subject, isNew]
                = known.subjects.try_emplace(description.metric.name, description.subject.kind);
            subject->second = std::min(subject->second, description.subject.kind);
            if (isNew)
                known.metrics.push_back(description.metric);
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
        const auto at = std::find_if(registry.begin(), registry.end(),
            [&](const Metric& candidate) { return candidate.name == metric.name; });
        return at - registry.begin();
    };
    std::stable_sort(
        known.metrics.begin(), known.metrics.end(), [&](const Metric& a, const Metric& b) {
            return std::pair(place(a), a.name) < std::pair(place(b), b.name);
        });
    return known;
}

bool has(const Known& known, std::string_view metric) {
    return std::any_of(known.metrics.begin(), known.metrics.end(),
        [metric](const Metric& candidate) { return candidate.name == metric; });
}

// The first of the alternatives that the runs have.
void addFirst(Arrangement& arrangement, const Known& known,
    std::initializer_list<std::string_view> names, LaneStyle style, double height) {
    for (const auto name : names) {
        if (!has(known, name))
            continue;
        arrangement.lanes.push_back({style, std::string(name), std::nullopt, height});
        return;
    }
}

double kernelHeight(std::size_t ranks) {
    return 44.0 + 20.0 * static_cast<double>(std::clamp<std::size_t>(ranks, 2, 8));
}

bool isOfRun(const Known& known, const Metric& metric) {
    return known.subjects.at(metric.name) == SubjectKind::Run;
}

void addMetricChoices(std::vector<LaneChoice>& choices, const Known& known, const Metric& metric) {
    const std::string label = metric.label.empty() ? metric.name : metric.label;
    if (isOfRun(known, metric)) {
        choices.push_back({{LaneStyle::Lines, metric.name, {}, kLogHeight}, label});
        return;
    }
    if (isShared(metric.kind)) {
        choices.push_back(
            {{LaneStyle::Lines, metric.name, {}, kStatesHeight}, label + ", by name"});
        return;
    }
    const SubjectNoun noun = nounOf(known.subjects.at(metric.name));
    choices.push_back({{LaneStyle::Lines, metric.name, {}, 120.0},
        fmt::format("{}, all {} as lines", label, noun.many)});
    choices.push_back({{LaneStyle::Band, metric.name, {}, 96.0}, label + ", range and quantiles"});
    choices.push_back({{LaneStyle::Heat, metric.name, {}, 120.0},
        fmt::format("{}, heat strip per {}", label, noun.one)});
}

} // namespace

Arrangement defaultArrangement(const Catalogue& catalogue) {
    const Known known = collect(catalogue);
    Arrangement arrangement;
    addFirst(
        arrangement, known, {metric::kGpuPower, metric::kGpuPowerAverage}, LaneStyle::Lines, 140.0);
    addFirst(arrangement, known, {metric::kNodePower}, LaneStyle::Lines, 120.0);
    addFirst(arrangement, known, {metric::kSwitchPower}, LaneStyle::Lines, 88.0);
    addFirst(arrangement, known, {metric::kGpuTemperature, metric::kMemTemperature},
        LaneStyle::Heat, 140.0);
    addFirst(arrangement, known, {metric::kSmClock}, LaneStyle::Lines, 88.0);
    addFirst(
        arrangement, known, {metric::kNvlinkRx, metric::kNvlinkRxRate}, LaneStyle::Lines, 88.0);
    addFirst(arrangement, known, {metric::kPcieRx, metric::kPcieRxRate}, LaneStyle::Lines, 88.0);
    addFirst(arrangement, known, {metric::kIbRx, metric::kIbTx}, LaneStyle::Lines, 88.0);
    const std::size_t ofMachine = arrangement.lanes.size();
    addFirst(arrangement, known, {metric::kLoss}, LaneStyle::Lines, kLogHeight);
    addFirst(arrangement, known,
        {metric::kTokenRate, metric::kSampleRate, metric::kReportedFlops, metric::kStepTime},
        LaneStyle::Lines, kLogHeight);
    if (ofMachine < 3)
        addFirst(arrangement, known, {metric::kGpuUtilization}, LaneStyle::Lines, 88.0);
    if (!known.streamRanks.empty())
        arrangement.lanes.push_back(
            {LaneStyle::Kernels, {}, std::nullopt, kernelHeight(known.streamRanks.size())});
    const bool telemetry = !known.metrics.empty();
    if (!known.threadRanks.empty() && (!telemetry || known.streamRanks.empty()))
        arrangement.lanes.push_back({LaneStyle::Thread, {}, *known.threadRanks.begin(), 220.0});
    if (arrangement.lanes.empty() && telemetry)
        arrangement.lanes.push_back(
            {LaneStyle::Lines, known.metrics.front().name, std::nullopt, 140.0});
    return arrangement;
}

std::vector<LaneChoice> laneChoices(const Catalogue& catalogue) {
    const Known known = collect(catalogue);
    std::vector<LaneChoice> choices;
    for (const auto& metric : known.metrics)
        addMetricChoices(choices, known, metric);
    if (!known.streamRanks.empty())
        choices.push_back({{LaneStyle::Kernels, {}, {}, kernelHeight(known.streamRanks.size())},
            "Kernels, all ranks"});
    for (const int rank : known.streamRanks)
        choices.push_back(
            {{LaneStyle::Kernels, {}, rank, 88.0}, fmt::format("Kernels, rank {}", rank)});
    for (const int rank : known.threadRanks)
        choices.push_back(
            {{LaneStyle::Thread, {}, rank, 220.0}, fmt::format("Host threads, rank {}", rank)});
    if (known.gpuRanks.size() > kMostRanksListed)
        return choices;
    for (const auto& metric : known.metrics) {
        if (isOfRun(known, metric))
            continue;
        const std::string label = metric.label.empty() ? metric.name : metric.label;
        for (const int rank : known.gpuRanks)
            choices.push_back({{LaneStyle::Lines, metric.name, rank, 88.0},
                fmt::format("{}, rank {}", label, rank)});
    }
    return choices;
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
    const bool isWhole
        = std::all_of(captures.begin(), captures.end(), [&extent](const Capture& one) {
              constexpr double kWhole = 0.9;
              return one.range.length().seconds() >= kWhole * extent.length().seconds();
          });
    return isWhole ? std::vector<Capture>() : captures;
}

// Power limits of the GPUs that have power, W; a recorded limit is its mean.
std::map<int, double> powerLimits(
    const std::vector<Run>& runs, RunId id, const std::vector<Series>& series) {
    std::map<int, double> limits;
    const auto run
        = std::find_if(runs.begin(), runs.end(), [id](const Run& one) { return one.id == id; });
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
