#include "core/analysis/comparison/TraceMeasures.h"

#include "core/analysis/CollectiveDetail.h"
#include "core/analysis/calls/Calls.h"
#include "core/analysis/communication/CommunicationSummary.h"
#include "core/analysis/comparison/BreakdownMeter.h"
#include "core/analysis/comparison/GroupGuess.h"
#include "core/analysis/phases/DeviceActivity.h"
#include "core/analysis/phases/Pipeline.h"
#include "core/analysis/phases/StageMap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr double kCovered = 0.9; // of an iteration, or of a step, by the traces
constexpr const char* kIdle = "idle";

double secondsOf(DurationNs time) {
    return time.seconds();
}

TimeRange shared(TimeRange a, TimeRange b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

// Seconds of one device, later of the sum of several.
struct Sums {
    int devices = 0;
    double seconds = 0.0;
    std::map<std::string, double> categories;

    void add(double length, const std::map<std::string, double>& more) {
        ++devices;
        seconds += length;
        for (const auto& [category, time] : more)
            categories[category] += time;
    }
};

class Tracer {
public:
    Tracer(const store::Store& store, const Run& run, const TraceScope& scope,
        const Progress& progress)
        : m_store(store)
        , m_run(run)
        , m_scope(scope)
        , m_progress(progress) { }

    Result<std::optional<TraceMeasures>> measure() {
        auto devices = tracedDevices(m_store, m_run);
        if (!devices.hasValue())
            return devices.error();
        if (devices.value().empty())
            return std::optional<TraceMeasures>();
        chooseWindow(devices.value());
        auto stages = stagesOf(m_store, m_run, m_progress);
        if (!stages.hasValue())
            return stages.error();
        m_stages = std::move(stages).value();
        for (const DeviceTracks& device : devices.value()) {
            if (Status status = walk(device); !status.hasValue())
                return status.error();
        }
        if (m_all.devices == 0 || m_windowS <= 0.0)
            return std::optional<TraceMeasures>();
        if (Status status = finish(); !status.hasValue())
            return status.error();
        return std::optional(std::move(m_made));
    }

private:
    // Which part of the traces counts, and which iterations they cover.
    void chooseWindow(const std::vector<DeviceTracks>& devices) {
        TimeRange extent{kAllTime.end, kAllTime.begin};
        for (const DeviceTracks& device : devices)
            extent = {std::min(extent.begin, device.extent.begin),
                std::max(extent.end, device.extent.end)};
        m_window = m_scope.window;
        m_isOutside = shared(extent, m_window).isEmpty();
        if (m_isOutside)
            m_window = kAllTime;
        for (const bool withWarmup : {false, true}) {
            for (const Iteration& one : m_scope.iterations) {
                const TimeRange part = shared(shared(one.range, extent), m_window);
                if ((withWarmup || !one.warmup) && !part.isEmpty()
                    && secondsOf(part.length()) >= kCovered * secondsOf(one.range.length()))
                    m_covered.push_back(one);
            }
            if (!m_covered.empty())
                break;
        }
        for (const Iteration& one : m_covered)
            m_ranges.push_back(one.range);
    }

    Status walk(const DeviceTracks& device) {
        const auto shown
            = traceWindow(device.rank, device.extent, m_window, {m_covered, std::nullopt});
        if (!shown || (shown->fixed && shown->fixed->isEmpty()))
            return {};
        PhaseMeter phases(*shown);
        BreakdownMeter breakdown(m_ranges);
        const std::array<DeviceVisitor*, 2> visitors{&phases, &breakdown};
        const auto evidence = walkDevice(m_store, device, shown->range, visitors, m_progress);
        if (!evidence.hasValue())
            return evidence.error();
        const WindowPhases all = phases.all(evidence.value());
        if (all.window.isEmpty())
            return {};
        addShares(all);
        std::vector<IterationPhases> iterations = phases.iterations(evidence.value());
        addIterations(iterations);
        addParts(device.rank, all, breakdown);
        m_activities.push_back(
            {device.rank, device.device, all, std::move(iterations), evidence.value(), {}, {}});
        return {};
    }

    void addShares(const WindowPhases& all) {
        const auto of = [&all](Phase phase) { return secondsOf(all.time[phase]); };
        const double hidden = of(Phase::CommunicationHidden);
        const double exposed = of(Phase::CommunicationExposed);
        const double idle = of(Phase::Idle);
        const double window = secondsOf(all.window.length());
        TracedShares& shares = m_made.shares;
        m_windowS += window;
        shares.busy += window - idle;
        shares.compute += window - idle - exposed;
        shares.communication += hidden + exposed;
        shares.exposedCommunication += exposed;
        shares.overlap += hidden;
        shares.idle += idle;
    }

    void addIterations(const std::vector<IterationPhases>& iterations) {
        for (const IterationPhases& one : iterations) {
            auto& [exposed, window] = m_byIteration[one.index];
            exposed += secondsOf(one.time[Phase::CommunicationExposed]);
            window += secondsOf(one.window.length());
        }
        if (m_covered.empty())
            return;
        for (const IterationPhases& one : iterations) {
            for (const Phase phase : kAllPhases)
                m_made.phases[phase] += secondsOf(one.time[phase]);
        }
    }

    void addParts(int rank, const WindowPhases& all, const BreakdownMeter& breakdown) {
        double length = 0.0;
        for (const TimeRange& range : m_ranges)
            length += secondsOf(range.length());
        if (m_covered.empty()) {
            length = secondsOf(all.window.length());
            for (const Phase phase : kAllPhases)
                m_made.phases[phase] += secondsOf(all.time[phase]);
        }
        const auto parts = breakdown.seconds();
        m_all.add(length, parts);
        if (m_stages) {
            if (const auto stage = m_stages->stageOf.find(rank); stage != m_stages->stageOf.end())
                m_byStage[stage->second].add(length, parts);
        }
        for (const auto& [collective, seconds] : breakdown.exposed())
            m_exposed[collective] += seconds;
    }

    // Seconds summed over devices to those of a step.
    [[nodiscard]] double scale(const Sums& sums) const {
        const double devices = std::max(sums.devices, 1);
        if (m_made.basis == TraceBasis::Iterations)
            return 1.0 / devices / static_cast<double>(m_covered.size());
        if (m_made.basis == TraceBasis::Scaled && sums.seconds > 0.0)
            return *m_scope.stepTimeS / sums.seconds;
        return 1.0 / devices;
    }

    [[nodiscard]] StageBreakdown breakdownOf(int stage, const Sums& sums) const {
        const double factor = scale(sums);
        StageBreakdown out{stage, sums.devices, sums.seconds * factor, {}};
        double busy = 0.0;
        for (const auto& [category, seconds] : sums.categories) {
            out.parts.push_back({category, seconds * factor, isExposed(category)});
            busy += seconds;
        }
        out.parts.push_back({kIdle, std::max(sums.seconds - busy, 0.0) * factor, false});
        return out;
    }

    [[nodiscard]] bool isExposed(const std::string& category) const {
        const auto found = m_exposed.lower_bound({category, NameId{}});
        return found != m_exposed.end() && found->first.first == category;
    }

    Status finish() {
        const double meanS = m_windowS / m_all.devices;
        const bool isWholeStep = m_scope.stepTimeS && meanS >= kCovered * *m_scope.stepTimeS;
        m_made.basis = !m_covered.empty() ? TraceBasis::Iterations
            : isWholeStep                 ? TraceBasis::Scaled
                                          : TraceBasis::Trace;
        m_made.devices = m_all.devices;
        TracedShares& shares = m_made.shares;
        for (double* one : {&shares.busy, &shares.compute, &shares.communication,
                 &shares.exposedCommunication, &shares.overlap, &shares.idle})
            *one /= m_windowS;
        m_made.all = breakdownOf(-1, m_all);
        for (const auto& [stage, sums] : m_byStage)
            m_made.stages.push_back(breakdownOf(stage, sums));
        for (const Phase phase : kAllPhases)
            m_made.phases[phase] *= scale(m_all);
        for (const Iteration& one : m_covered) {
            m_made.iterations.push_back(one.index);
            const auto found = m_byIteration.find(one.index);
            if (found != m_byIteration.end() && found->second.second > 0.0)
                m_made.exposedByIteration.push_back(found->second.first / found->second.second);
        }
        if (m_stages) {
            if (const auto pipeline = pipelineOf(*m_stages, m_activities))
                m_made.bubbleFraction = pipeline->bubbleFraction;
        }
        m_made.wording = wording(meanS);
        Status status = addGroups();
        return status.hasValue() ? addBandwidth() : status;
    }

    Status addBandwidth() {
        const bool hasAny = std::any_of(m_made.exposed.begin(), m_made.exposed.end(),
            [](const ExposedGroup& one) { return one.link == LinkClass::ScaleOut; });
        if (!hasAny)
            return {};
        const auto summary
            = communicationOf(m_store, m_run, {true, std::nullopt, m_window}, m_progress);
        if (!summary.hasValue())
            return summary.error();
        // The longest stand first.
        for (const CommunicationRow& row : summary.value().rows) {
            if (row.link != LinkClass::ScaleOut || !row.busBandwidth)
                continue;
            m_made.betweenNodesBandwidth = row.busBandwidth;
            break;
        }
        return {};
    }

    [[nodiscard]] std::string wording(double meanS) const {
        std::string text
            = fmt::format("{} traced {}, ", m_all.devices, m_all.devices == 1 ? "GPU" : "GPUs");
        if (m_made.basis == TraceBasis::Iterations)
            text += m_covered.size() == 1 ? fmt::format("iteration {}", m_covered.front().index)
                                          : fmt::format("{} iterations, {} to {}", m_covered.size(),
                                              m_covered.front().index, m_covered.back().index);
        else
            text += fmt::format("{:.3g} s each", meanS);
        if (m_made.basis == TraceBasis::Scaled)
            text += ", scaled to the step time";
        if (m_made.basis == TraceBasis::Trace)
            text += ", not a whole step";
        return m_isOutside ? text + "; the trace lies outside the window" : text;
    }

    // By what the trace says of the call, else by the layout.
    Result<GuessedGroup> placeOf(const BreakdownMeter::Collective& collective,
        const GroupPlaces& places, const std::map<std::string, GuessedGroup>& guessed) const {
        const auto& [category, detail] = collective;
        Communicator group;
        if (detail.isValid()) {
            const auto text = m_store.name(detail);
            if (!text.hasValue())
                return text.error();
            group = communicatorFrom(
                parseCollectiveDetail(text.value()), std::max(m_run.worldSize, m_run.gpuCount));
        }
        GuessedGroup place;
        if (!group.ranks.empty() || !group.description.empty())
            place.dimension = places.dimensionOf(group, group.ranks);
        // A number that the framework made up says nothing.
        if (std::all_of(place.dimension.begin(), place.dimension.end(),
                [](char c) { return c >= '0' && c <= '9'; }))
            place.dimension.clear();
        if (!group.ranks.empty())
            place.link = places.linkOf(group.ranks);
        const auto guess = guessed.find(category);
        if (guess == guessed.end() || place.link != LinkClass::Unknown)
            return place;
        return place.dimension.empty() || place.dimension == guess->second.dimension ? guess->second
                                                                                     : place;
    }

    Status addGroups() {
        const auto gpus = m_store.gpus(m_run.id);
        if (!gpus.hasValue())
            return gpus.error();
        const GroupPlaces places(m_run, gpus.value());
        std::map<std::string, GuessedGroup> guessed;
        if (m_scope.layout != nullptr)
            guessed = guessGroups(*m_scope.layout);
        std::map<std::tuple<std::string, LinkClass, std::string>, double> sums;
        for (const auto& [collective, seconds] : m_exposed) {
            const auto place = placeOf(collective, places, guessed);
            if (!place.hasValue())
                return place.error();
            sums[{place.value().dimension, place.value().link, collective.first}] += seconds;
        }
        const double factor = scale(m_all);
        for (const auto& [key, seconds] : sums)
            m_made.exposed.push_back(
                {std::get<0>(key), std::get<1>(key), std::get<2>(key), seconds * factor});
        std::stable_sort(m_made.exposed.begin(), m_made.exposed.end(),
            [](const ExposedGroup& a, const ExposedGroup& b) { return a.seconds > b.seconds; });
        return {};
    }

    const store::Store& m_store;
    const Run& m_run;
    const TraceScope& m_scope;
    const Progress& m_progress;
    TimeRange m_window = kAllTime;
    bool m_isOutside = false;
    std::vector<Iteration> m_covered;
    std::vector<TimeRange> m_ranges; // of these
    std::optional<StageMap> m_stages;
    std::vector<DeviceActivity> m_activities;
    double m_windowS = 0.0; // over all devices
    Sums m_all;
    std::map<int, Sums> m_byStage;
    std::map<std::int64_t, std::pair<double, double>> m_byIteration; // exposed and all
    std::map<BreakdownMeter::Collective, double> m_exposed;
    TraceMeasures m_made;
};

} // namespace

Result<std::optional<TraceMeasures>> traceMeasures(
    const store::Store& store, const Run& run, const TraceScope& scope, const Progress& progress) {
    return Tracer(store, run, scope, progress).measure();
}

} // namespace trainscope::analysis
