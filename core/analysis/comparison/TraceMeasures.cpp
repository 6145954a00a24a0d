#include "core/analysis/comparison/TraceMeasures.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/CommunicatorPlaces.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/layout/Layout.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace trainscope::analysis {
namespace {

// The exposed communication of a traced run: of which dimension over which links, how much of it
// waits for ranks that come late, and how fast what crosses nodes is.

struct ExposedCalls {
    std::vector<ExposedCommunication> groups; // the longest first; s, summed over the devices
    // Bus bandwidth of the kind of collectives between nodes that transferred longest, B/s; absent
    // where none could be matched across ranks.
    std::optional<double> betweenNodesBandwidth;
};

using layout::CommunicatorKind;

CommunicatorPlace groupOf(const layout::Layout& layout, CommunicatorKind kind) {
    return {std::string(layout::infoOf(kind).key), layout::reachOf(layout, kind).link()};
}

// The only one of several ranks among them.
std::optional<CommunicatorKind> onlyOf(
    const layout::Layout& layout, std::initializer_list<CommunicatorKind> kinds) {
    std::optional<CommunicatorKind> only;
    for (const CommunicatorKind kind : kinds) {
        if (layout.grid.groupSize(kind) < 2)
            continue;
        if (only)
            return std::nullopt;
        only = kind;
    }
    return only;
}

constexpr double kSpeaksFor = 0.2; // share of the exposed time, by matched calls
constexpr double kSameStep = 5e-4; // mean and median are told alike

// The group of a collective by its kernel category ("send_recv"), where the layout leaves only one:
// messages are those of the pipeline, or of experts where there is no pipeline; all-to-alls are of
// experts; the others of the only dense group of several ranks.
std::map<std::string, CommunicatorPlace> guessPlaces(const layout::Layout& layout) {
    std::map<std::string, CommunicatorPlace> guessed;
    const auto put = [&](const std::vector<const char*>& categories,
                         const std::optional<CommunicatorKind>& kind) {
        if (!kind)
            return;
        for (const char* category : categories)
            guessed[category] = groupOf(layout, *kind);
    };
    put({"send_recv"}, onlyOf(layout, {CommunicatorKind::Pipeline, CommunicatorKind::Expert}));
    put({"all_to_all"}, onlyOf(layout, {CommunicatorKind::Expert}));
    put({"all_reduce", "all_gather", "reduce_scatter"},
        onlyOf(
            layout, {CommunicatorKind::Tensor, CommunicatorKind::Context, CommunicatorKind::Data}));
    return guessed;
}

// A number that the framework made up says nothing.
bool isMadeUp(const std::string& dimension) {
    return std::ranges::all_of(dimension, [](char c) { return c >= '0' && c <= '9'; });
}

// Sums over the matched collectives of one kind along one dimension.
struct MatchedSums {
    double waitS = 0.0; // over collectives and ranks
    double rankS = 0.0; // the same, from start to end
    double betweenS = 0.0; // transfers between nodes
    double sizedS = 0.0; // the ones with a size and every rank
    double busBytes = 0.0; // theirs, × busFactor()

    void add(const MatchedSums& more) {
        waitS += more.waitS;
        rankS += more.rankS;
    }
    [[nodiscard]] std::optional<double> waitShare() const {
        return rankS > 0.0 ? std::optional(std::clamp(waitS / rankS, 0.0, 1.0)) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> busBandwidth() const {
        return sizedS > 0.0 ? std::optional(busBytes / sizedS) : std::nullopt;
    }
};
using MatchedKey = std::pair<std::string, std::string>; // category, dimension

class CallMatcher {
public:
    CallMatcher(CommunicatorPlaces& places, TimeRange window)
        : m_places(places)
        , m_window(window) { }

    void add(const Collective& one) {
        if (!m_window.contains(one.end))
            return;
        const CommunicatorPlace& place = m_places.placeOf(one);
        MatchedSums& sums = m_sums[{std::string(toString(one.kind)), place.dimension}];
        for (const CollectiveRank& rank : one.ranks) {
            sums.waitS += rank.wait.seconds();
            sums.rankS += (rank.end - rank.start).seconds();
        }
        if (place.link != LinkClass::ScaleOut)
            return;
        sums.betweenS += one.transfer.seconds();
        if (one.busBandwidth() && *one.bytes >= 1.0 && !one.isPartial()) {
            sums.sizedS += one.transfer.seconds();
            sums.busBytes += *one.bytes * busFactor(one.kind, one.ranksInGroup);
        }
    }

    // By the calls of that group, else by all of its category; absent where hardly any of its calls
    // were matched, for example for want of a common clock.
    [[nodiscard]] std::optional<double> waitShare(const ExposedCommunication& group) const {
        MatchedSums matched;
        const auto own = m_sums.find({group.category, group.dimension});
        if (own != m_sums.end())
            matched = own->second;
        for (const auto& [key, sums] : m_sums) {
            if (own == m_sums.end() && key.first == group.category)
                matched.add(sums);
        }
        return matched.rankS >= kSpeaksFor * group.seconds ? matched.waitShare() : std::nullopt;
    }

    [[nodiscard]] std::optional<double> betweenNodesBandwidth() const {
        const MatchedSums* most = nullptr;
        for (const auto& [key, sums] : m_sums) {
            if (sums.busBandwidth() && (most == nullptr || sums.betweenS > most->betweenS))
                most = &sums;
        }
        return most == nullptr ? std::nullopt : most->busBandwidth();
    }

private:
    CommunicatorPlaces& m_places;
    TimeRange m_window;
    std::map<MatchedKey, MatchedSums> m_sums;
};

// `layout`: with each link domain as one node.
Result<std::vector<ExposedCommunication>> sorted(const RunStudy& study,
    const std::optional<layout::Layout>& layout, const CommunicatorPlaces& places,
    const std::map<CategoryShares::Collective, double>& exposed) {
    std::map<std::string, CommunicatorPlace> guessed;
    if (layout)
        guessed = guessPlaces(*layout);
    std::map<std::tuple<std::string, LinkClass, std::string>, double> sums;
    for (const auto& [collective, seconds] : exposed) {
        const auto& [category, detail] = collective;
        ASSIGN_OR_RETURN(const auto told, collectiveDetail(study.store, detail));
        const TracedCommunicator group
            = communicatorFrom(told, std::max(study.run.worldSize, study.run.gpuCount));
        CommunicatorPlace place; // by what the trace says of the call, else by the layout
        if (!group.ranks.empty() || !group.description.empty())
            place.dimension = places.dimensionOf(group, group.ranks);
        if (isMadeUp(place.dimension))
            place.dimension.clear();
        if (!group.ranks.empty())
            place.link = places.linkOf(group.ranks);
        const auto guess = guessed.find(category);
        if (guess != guessed.end() && place.link == LinkClass::Unknown
            && (place.dimension.empty() || place.dimension == guess->second.dimension))
            place = guess->second;
        sums[{place.dimension, place.link, category}] += seconds;
    }
    std::vector<ExposedCommunication> groups;
    for (const auto& [key, seconds] : sums)
        groups.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), seconds, {}});
    std::ranges::stable_sort(groups, std::greater<>(), &ExposedCommunication::seconds);
    return groups;
}

// exposed: as CategoryShares tells it, summed over devices. The group of a call is what its trace
// says, else what the layout leaves (nullptr: not known). Waiting and bandwidth are of the calls
// that end in the window, which is on the common clock. Cancelled by progress.
Result<ExposedCalls> exposedCallsOf(const RunStudy& study, const layout::Layout* layout,
    const std::map<CategoryShares::Collective, double>& exposed, const RankClocks& clocks,
    TimeRange window) {
    ExposedCalls made;
    if (exposed.empty())
        return made;
    ASSIGN_OR_RETURN(const auto joined, domainsAsNodes(study));
    ASSIGN_OR_RETURN(const auto domain, linkDomainOf(study));
    CommunicatorPlaces places(joined.run, joined.gpus);
    std::optional<layout::Layout> domains;
    if (layout != nullptr)
        domains = domainsAsNodes(*layout, domain);
    ASSIGN_OR_RETURN(auto groups, sorted(study, domains, places, exposed));
    made.groups = std::move(groups);
    CallMatcher matcher(places, window);
    RETURN_IF_ERROR(forEachCollective(study, clocks, [&matcher](const Collective& one) {
        matcher.add(one);
        return true;
    }));
    for (ExposedCommunication& one : made.groups) {
        if (const auto share = matcher.waitShare(one))
            one.waitS = *share * one.seconds;
    }
    made.betweenNodesBandwidth = matcher.betweenNodesBandwidth();
    return made;
}

// Seconds of one device, later of the sum of several.
struct PartSums {
    int devices = 0;
    std::size_t iterations = 0; // over all devices
    double seconds = 0.0;
    std::map<std::string, double> categories;

    void add(double length, std::size_t covered, const std::map<std::string, double>& more) {
        ++devices;
        iterations += covered;
        seconds += length;
        for (const auto& [category, time] : more)
            categories[category] += time;
    }
};

struct KernelTotal {
    std::string category;
    double seconds = 0.0;
    double count = 0.0;
};

class Tracer {
public:
    Tracer(const RunStudy& study, const TraceScope& scope)
        : m_study(study)
        , m_scope(scope)
        , m_names(study.store, KernelCategories::builtIn()) { }

    Result<std::optional<TraceMeasures>> measure() {
        ASSIGN_OR_RETURN(auto devices, tracedDevices(m_study));
        if (devices.empty())
            return std::optional<TraceMeasures>();
        ASSIGN_OR_RETURN(m_aligned, alignRanks(m_study));
        if (!m_aligned.agree)
            m_clocks = std::make_shared<const RankClocks>(m_aligned);
        chooseWindow(devices);
        if (m_isOutside && m_scope.capture != nullptr)
            return std::optional<TraceMeasures>();
        ASSIGN_OR_RETURN(m_stages, stagesOf(m_study));
        std::vector<Measured> measured;
        RETURN_IF_ERROR(forEachDevice(
            m_study, devices, [this](const DeviceReading& reading) { return measure(reading); },
            collectInto(measured)));
        for (Measured& one : measured)
            RETURN_IF_ERROR(add(std::move(one)));
        if (m_all.devices == 0 || m_all.seconds <= 0.0)
            return std::optional<TraceMeasures>();
        RETURN_IF_ERROR(finish());
        return std::optional(std::move(m_made));
    }

private:
    // A stretch of the run on the clock of a rank.
    [[nodiscard]] TimeRange ownOf(int rank, TimeRange range) const {
        return ownSteadyWindow(m_scope.iterations, range, m_clocks, rank);
    }

    [[nodiscard]] TimeRange ownWindowOf(int rank) const {
        return m_scope.capture != nullptr ? m_scope.capture->of(rank) : ownOf(rank, m_window);
    }

    // Chooses the part of the traces that counts, and the iterations that they cover.
    void chooseWindow(const std::vector<DeviceTracks>& devices) {
        m_window = m_scope.window;
        m_isOutside = std::ranges::none_of(devices, [&](const DeviceTracks& device) {
            return !shared(device.captures, ownWindowOf(device.rank)).empty();
        });
        if (m_isOutside)
            m_window = kAllTime;
        for (const bool withWarmup : {false, true}) {
            for (const Iteration& one : m_scope.iterations.iterations) {
                if ((withWarmup || !one.warmup) && isCovered(one, devices))
                    m_covered.push_back(one);
            }
            if (!m_covered.empty())
                break;
        }
    }

    // True where the traces of all devices together cover the iteration, and those of each one
    // enough of it.
    [[nodiscard]] bool isCovered(
        const Iteration& one, const std::vector<DeviceTracks>& devices) const {
        std::vector<TimeRange>
            together; // since the iteration's begin, which clocks have differently
        double longest = 0.0;
        for (const DeviceTracks& device : devices) {
            const TimeRange own = ownOf(device.rank, one.range);
            const auto parts = shared(device.captures, shared(own, ownWindowOf(device.rank)));
            for (const TimeRange& part : parts)
                together.push_back(
                    {TimeNs{} + (part.begin - own.begin), TimeNs{} + (part.end - own.begin)});
            longest = std::max(longest, lengthOf(parts).seconds());
        }
        const double length = one.range.length().seconds();
        return longest > 0.0 && longest >= kCoveredOnDevice * length
            && lengthOf(united(std::move(together))).seconds() >= kCoveredByTrace * length;
    }

    [[nodiscard]] std::vector<Iteration> coveredOn(int rank) const {
        std::vector<Iteration> covered = m_covered;
        for (Iteration& one : covered)
            one.range = ownOf(rank, one.range);
        return covered;
    }

    struct Measured {
        DeviceActivity activity;
        DeviceSums sums; // the iterations' together, else the whole part's
    };
    Result<std::optional<Measured>> measure(const DeviceReading& reading) const {
        using Answer = Result<std::optional<Measured>>;
        const DeviceTracks& device = reading.device;
        const auto shown
            = traceWindow(device, ownWindowOf(device.rank), {coveredOn(device.rank), std::nullopt});
        if (!shown || (shown->fixed && shown->fixed->isEmpty()))
            return Answer(std::nullopt);
        // Work outside of the covered iterations does not count, if there are any.
        if (!m_covered.empty() && shown->iterations.empty())
            return Answer(std::nullopt);
        DeviceSums ofIterations;
        TraceMeter meter(reading.store, device, *shown, KernelCategories::builtIn(),
            [&](std::size_t, const DeviceSums& sums) {
                ofIterations.add(sums, true);
                return Status();
            });
        ASSIGN_OR_RETURN(
            const auto evidence, reading.walk(shown->range, meter.phases, meter.account));
        ASSIGN_OR_RETURN(auto trace, meter.finish(evidence));
        if (trace.activity.phases.traced.ns <= 0)
            return Answer(std::nullopt);
        const bool isWhole = trace.activity.iterations.empty();
        return std::optional(
            Measured{std::move(trace.activity), isWhole ? meter.sums() : ofIterations});
    }

    Status add(Measured&& measured) {
        const DeviceActivity& activity = measured.activity;
        m_tracedS += activity.phases.traced.seconds();
        double length = 0.0;
        if (m_covered.empty())
            length = addPhases(activity.phases);
        for (const IterationPhases& one : activity.iterations)
            length += addIteration(one);
        addParts(activity.rank, length, activity.iterations.size(), activity.shares);
        RETURN_IF_ERROR(addNames(measured.sums, activity.iterations.empty()));
        m_activities.push_back(std::move(measured.activity));
        return {};
    }

    // Calls that begin in the part; of a whole trace, those that it carries too.
    Status addNames(const DeviceSums& sums, bool isWhole) {
        for (const KernelSum& sum : sums.names) {
            ASSIGN_OR_RETURN(const auto kernel, m_names.kernel(sum.name));
            KernelTotal& total = m_kernels[kernel->name];
            total.category = kernel->category;
            total.seconds += sum.time.seconds();
            total.count += static_cast<double>(sum.count + (isWhole ? sum.carried : 0));
        }
        return {};
    }

    // Their length, s.
    double addPhases(const WindowPhases& window) {
        for (const Phase phase : kAllPhases)
            m_made.phases[phase] += window.time[phase].seconds();
        return window.traced.seconds();
    }

    double addIteration(const IterationPhases& one) {
        auto& [exposed, window] = m_byIteration[one.index];
        exposed += one.time[Phase::CommunicationExposed].seconds();
        window += one.traced.seconds();
        return addPhases(one);
    }

    void addParts(
        int rank, double length, std::size_t iterations, const CategoryShares& breakdown) {
        const auto parts = breakdown.seconds();
        m_all.add(length, iterations, parts);
        if (m_stages) {
            if (const auto stage = m_stages->stageOf.find(rank); stage != m_stages->stageOf.end())
                m_byStage[stage->second].add(length, iterations, parts);
        }
        for (const auto& [collective, seconds] : breakdown.exposed())
            m_exposed[collective] += seconds;
    }

    // Seconds summed over devices to those of a step.
    [[nodiscard]] double scale(const PartSums& sums) const {
        const double devices = std::max(sums.devices, 1);
        if (m_made.basis == TraceBasis::Iterations)
            return m_made.toStep / static_cast<double>(std::max<std::size_t>(sums.iterations, 1));
        if (m_made.basis == TraceBasis::Scaled && sums.seconds > 0.0)
            return *m_scope.stepTimeS / sums.seconds;
        return 1.0 / devices;
    }

    [[nodiscard]] StageBreakdown breakdownOf(int stage, const PartSums& sums) const {
        const double factor = scale(sums);
        StageBreakdown out{stage, sums.devices, sums.seconds * factor, {}};
        double busy = 0.0;
        for (const auto& [category, seconds] : sums.categories) {
            out.parts.push_back({category, seconds * factor, isExposed(category)});
            busy += seconds;
        }
        out.parts.push_back({"idle", std::max(sums.seconds - busy, 0.0) * factor, false});
        return out;
    }

    [[nodiscard]] bool isExposed(const std::string& category) const {
        const auto found = m_exposed.lower_bound({category, NameId{}});
        return found != m_exposed.end() && found->first.first == category;
    }

    Status finish() {
        const double meanS = m_tracedS / m_all.devices;
        m_made.tracedS = meanS;
        const bool isWholeStep = m_scope.stepTimeS && meanS >= kCoveredByTrace * *m_scope.stepTimeS;
        m_made.basis = !m_covered.empty() ? TraceBasis::Iterations
            : isWholeStep                 ? TraceBasis::Scaled
                                          : TraceBasis::Trace;
        m_made.devices = m_all.devices;
        if (m_made.basis == TraceBasis::Iterations && m_scope.stepTimeS && m_all.seconds > 0.0)
            m_made.toStep = *m_scope.stepTimeS / (m_all.seconds * scale(m_all));
        addShares();
        m_made.all = breakdownOf(-1, m_all);
        for (const auto& [stage, sums] : m_byStage)
            m_made.stages.push_back(breakdownOf(stage, sums));
        for (const Phase phase : kAllPhases)
            m_made.phases[phase] *= scale(m_all);
        addKernels();
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
        return addGroups();
    }

    void addShares() {
        const auto share = [this](Phase phase) { return m_made.phases[phase] / m_all.seconds; };
        TracedShares& shares = m_made.shares;
        shares.exposedCommunication = share(Phase::CommunicationExposed);
        shares.overlap = share(Phase::CommunicationHidden);
        shares.copy = share(Phase::Copy);
        shares.idle = share(Phase::Idle);
        shares.busy = 1.0 - shares.idle;
        shares.communication = shares.exposedCommunication + shares.overlap;
        shares.compute = shares.busy - shares.exposedCommunication - shares.copy;
    }

    void addKernels() {
        const double factor = scale(m_all);
        for (const auto& [name, sum] : m_kernels)
            m_made.kernels.push_back(
                {name, sum.category, sum.seconds * factor, sum.count * factor / m_made.toStep});
        std::ranges::stable_sort(m_made.kernels, std::greater<>(), &StepKernel::seconds);
    }

    [[nodiscard]] std::string wording(double meanS) const {
        std::string text
            = fmt::format("{} traced {}, ", m_all.devices, m_all.devices == 1 ? "GPU" : "GPUs");
        if (m_made.basis == TraceBasis::Iterations)
            text += m_covered.size() == 1 ? fmt::format("iteration {}", m_covered.front().index)
                                          : fmt::format("{} iterations, {} to {}", m_covered.size(),
                                              m_covered.front().index, m_covered.back().index);
        else
            text += text::seconds(meanS) + " each";
        if (m_made.basis == TraceBasis::Scaled || std::abs(m_made.toStep - 1.0) > kSameStep)
            text += ", scaled to the step time";
        if (m_made.basis == TraceBasis::Trace)
            text += m_scope.stepTimeS ? ", of a step of " + text::seconds(*m_scope.stepTimeS)
                                      : ", not a whole step";
        return m_isOutside ? text + "; the trace lies outside the window" : text;
    }

    Status addGroups() {
        ASSIGN_OR_RETURN(
            auto calls, exposedCallsOf(m_study, m_scope.layout, m_exposed, m_aligned, window()));
        m_made.exposed = std::move(calls.groups);
        m_made.betweenNodesBandwidth = calls.betweenNodesBandwidth;
        const double factor = scale(m_all);
        for (ExposedCommunication& one : m_made.exposed) {
            one.seconds *= factor;
            if (one.waitS)
                *one.waitS *= factor;
        }
        return {};
    }

    // From the first covered iteration to the last one, on the clock of the run.
    [[nodiscard]] TimeRange window() const {
        const TimeRange asked = m_scope.capture != nullptr ? m_scope.capture->closed() : m_window;
        return m_covered.empty()
            ? asked
            : TimeRange{m_covered.front().range.begin, m_covered.back().range.end};
    }

    const RunStudy& m_study;
    const TraceScope& m_scope;
    RankClocks m_aligned;
    RankClocksPtr m_clocks; // nullptr: they agree
    TimeRange m_window = kAllTime;
    bool m_isOutside = false;
    std::vector<Iteration> m_covered;
    std::optional<StageMap> m_stages;
    std::vector<DeviceActivity> m_activities;
    double m_tracedS = 0.0; // over all devices
    PartSums m_all;
    std::map<int, PartSums> m_byStage;
    std::map<std::int64_t, std::pair<double, double>> m_byIteration; // exposed and all
    std::map<CategoryShares::Collective, double> m_exposed;
    KernelNames m_names;
    std::map<std::string, KernelTotal> m_kernels; // by name
    TraceMeasures m_made;
};

} // namespace

Result<std::optional<TraceMeasures>> traceMeasures(const RunStudy& study, const TraceScope& scope) {
    return Tracer(study, scope).measure();
}

} // namespace trainscope::analysis
