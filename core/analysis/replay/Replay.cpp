#include "core/analysis/replay/Replay.h"

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/replay/KernelGraph.h"
#include "core/analysis/replay/ReplayBytes.h"
#include "core/analysis/replay/StepAnalyses.h"
#include "core/analysis/replay/StepChange.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/RunNotes.h"
#include "core/text/Names.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <list>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastUnprofiled = 3; // iterations
constexpr double kNearSteps = 15.0;
constexpr std::size_t kMostOfAll = 2'000'000; // operations of all graphs that are kept together
constexpr std::size_t kMostStoredBytes = std::size_t{64} << 20U;

// A graph that was read, with its replay; facts and waits are found when they are asked for.
struct KeptReplay {
    std::shared_ptr<const StepGraph> graph;
    StepTimes times;
    std::mutex mutex; // guards all below
    bool isStored = false; // in the database, or given to whoever stores it
    std::optional<ChangeFacts> facts;
    std::vector<StepWait> waits;
};

// All that the replay of a run depends on: what was imported and said of it, capture, iteration.
Result<std::string> basisOf(const RunStudy& study, const ReplayRequest& request) {
    ASSIGN_OR_RETURN(const auto bases, store::figureBases(study.store));
    const auto own
        = std::ranges::find(bases, study.run.id, [](const auto& one) { return one.first; });
    return fmt::format("{}\n{}\n{}\n{}", kReplayVersion, own == bases.end() ? "" : own->second,
        request.iteration ? fmt::format("{}", *request.iteration) : "", request.capture);
}
// The same, of all files that there are.
struct ReplayKey {
    std::string file;
    RunId run;
    std::string basis;
    bool operator==(const ReplayKey&) const = default;
};
Result<ReplayKey> keyOf(const RunStudy& study, const ReplayRequest& request) {
    ASSIGN_OR_RETURN(auto basis, basisOf(study, request));
    return ReplayKey{
        study.store.uuid() + study.store.path().string(), study.run.id, std::move(basis)};
}

// The latest of the process, and those before it that are small, so that a change is answered
// without reading, whoever asks. The latest stays whatever its size: the next change of a view or
// of the inspector is to be answered at once, where reading it again takes seconds. It has at most
// kMostOperations, which are about 1 GB with edges and times.
std::shared_ptr<KeptReplay> kept(const ReplayKey& key, std::shared_ptr<KeptReplay> made = {}) {
    static std::mutex mutex;
    static std::list<std::pair<ReplayKey, std::shared_ptr<KeptReplay>>> all; // the latest first
    const std::lock_guard lock(mutex);
    if (const auto found = std::ranges::find(all, key, [](const auto& one) { return one.first; });
        found != all.end())
        all.splice(all.begin(), all, found);
    else if (made)
        all.emplace_front(key, std::move(made));
    else
        return {};
    std::size_t operations = 0;
    const auto isTooMuch = [&](const auto& one) {
        operations += one.second->graph->operations.size();
        return operations > kMostOfAll;
    };
    all.erase(std::find_if(std::next(all.begin()), all.end(), isTooMuch), all.end());
    return all.front().second;
}

const store::SumPlace kReplayPlace = placeOf(SumKind::Replay, -1);

// Absent where the database has none of that basis, or one that is damaged.
std::optional<ReplayParts> storedReplay(const RunStudy& study, const std::string& basis) {
    std::optional<ReplayParts> stored;
    (void)store::forEachSum(study.store, study.run.id, kReplayPlace, 0, 1, store::SumPart::Sums,
        [&](store::ByteView bytes) {
            stored = decodeReplay(basis, bytes);
            return Status();
        });
    return stored;
}

Result<std::shared_ptr<KeptReplay>> keptReplay(
    const RunStudy& study, const ReplayRequest& request) {
    ASSIGN_OR_RETURN(const auto key, keyOf(study, request));
    if (auto known = kept(key))
        return known;
    auto made = std::make_shared<KeptReplay>();
    if (auto stored = storedReplay(study, key.basis)) {
        made->graph = std::make_shared<const StepGraph>(std::move(stored->graph));
        made->facts = std::move(stored->facts);
        made->facts->gpu = catalogue::findGpuModel(study.run.gpuModel);
        made->waits = std::move(stored->waits);
        made->isStored = true;
    } else {
        const bool isOfAll = request.capture.empty();
        ASSIGN_OR_RETURN(made->graph,
            stepGraphOf(study,
                {isOfAll ? std::nullopt : std::optional(request.capture), request.iteration}));
    }
    made->times = simulate(*made->graph, measuredCosts(*made->graph));
    // Behind a path alone comes no change that would need it.
    const bool isKept = !request.pathAlone || made->graph->operations.size() <= kMostOfAll;
    return isKept ? kept(key, std::move(made)) : made;
}

TimeRange measuredRange(const StepGraph& graph) {
    TimeRange range = kNoTime;
    for (const StepIteration& iteration : graph.iterations) {
        if (iteration.counts)
            range = spanned(range, iteration.measured.range);
    }
    return range;
}

Status addFacts(const RunStudy& study, const std::string& captureName, KeptReplay& kept) {
    EnergyOptions options;
    if (!captureName.empty()) {
        ASSIGN_OR_RETURN(const auto capture, captureWindows(study, captureName));
        options.windowOf = [capture](int rank) { return capture.of(rank); };
    }
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    options.iterations.all = iterations.everyOne();
    ASSIGN_OR_RETURN(const auto energy, energyByPhase(study, options));
    ASSIGN_OR_RETURN(const auto clocks, alignRanks(study));
    const auto steps = std::ranges::count_if(kept.graph->iterations, &StepIteration::counts);
    ASSIGN_OR_RETURN(kept.waits,
        stepWaits(study, clocks, measuredRange(*kept.graph), static_cast<double>(steps)));
    ASSIGN_OR_RETURN(kept.facts, changeFacts(study, *kept.graph, energy));
    return {};
}

// The median of the iterations beside the captured ones that no profiler saw. Only of near ones:
// the job may go on with other settings.
Result<std::optional<double>> unprofiledSeconds(
    const RunStudy& study, const TimeRange& captured, double stepS) {
    ASSIGN_OR_RETURN(const auto found, iterationsOf(study));
    ASSIGN_OR_RETURN(const auto captures, study.store.captures(study.run.id));
    std::vector<double> seconds;
    for (const Iteration& one : found.iterations) {
        const bool isCaptured = std::ranges::any_of(captures,
            [&](const Capture& capture) { return !shared(capture.range, one.range).isEmpty(); });
        const double apart = std::max(
            (captured.begin - one.range.end).seconds(), (one.range.begin - captured.end).seconds());
        if (!isCaptured && !one.warmup && apart < kNearSteps * stepS)
            seconds.push_back(one.range.length().seconds());
    }
    const bool isTold
        = found.basis == IterationBasis::Recorded && seconds.size() >= kLeastUnprofiled;
    return isTold ? std::optional(upperMedian(std::move(seconds))) : std::nullopt;
}

EdgeShares edgeShares(const StepGraph& graph) {
    std::array<double, 3> counts{};
    for (const StepEdge& edge : graph.edges)
        counts[static_cast<std::size_t>(edge.basis)] += 1.0;
    const double all = std::max(1.0, static_cast<double>(graph.edges.size()));
    return {counts[0] / all, counts[1] / all, counts[2] / all};
}

// Lengths of the iterations that count, as measured and as replayed.
void addIterations(const KeptReplay& kept, StepReplay& replay) {
    RunningMean measured;
    RunningMean replayed;
    for (const StepIteration& iteration : kept.graph->iterations) {
        if (!iteration.counts)
            continue;
        const double length = iteration.measured.range.length().seconds();
        replay.iterations.push_back(
            {iteration.measured.index, length, iterationSeconds(kept.times, iteration)});
        measured.add(length);
        replayed.add(replay.iterations.back().replayedS);
    }
    replay.measuredS = measured.value();
    replay.replayedS = replayed.value();
}

void addIdeal(const StepGraph& graph, StepReplay& replay) {
    if (auto ideal = idealStep(graph)) {
        replay.idealS = ideal->seconds;
        replay.slowdown = ideal->slowdown;
        replay.slowdownBy = std::move(ideal->by);
    }
}

} // namespace

Result<StepReplay> replayOf(const RunStudy& study, const ReplayRequest& request) {
    std::vector<StepChange> changes;
    for (const std::string& text : request.changes) {
        ASSIGN_OR_RETURN(changes.emplace_back(), parseChange(text));
    }
    ASSIGN_OR_RETURN(const auto kept, keptReplay(study, request));
    StepReplay replay;
    replay.graph = kept->graph;
    replay.times = {kept, &kept->times};
    replay.notes = kept->graph->notes;
    replay.edges = edgeShares(*kept->graph);
    addIterations(*kept, replay);
    if (!request.pathAlone || !changes.empty()) {
        const std::lock_guard lock(kept->mutex);
        if (!kept->facts)
            RETURN_IF_ERROR(addFacts(study, request.capture, *kept));
        replay.energy = kept->facts->energy;
        replay.waits = kept->waits;
        ASSIGN_OR_RETURN(replay.unprofiledS,
            unprofiledSeconds(study, measuredRange(*kept->graph), replay.measuredS));
    }
    if (request.ideal)
        addIdeal(*kept->graph, replay);
    if (changes.empty()) {
        replay.path = criticalPath(*kept->graph, kept->times, measuredCosts(*kept->graph));
        return replay;
    }
    ASSIGN_OR_RETURN(auto changed, changedStep(kept->graph, kept->times, changes, *kept->facts));
    // Gains are simulations, of a large graph longer than an answer may take.
    constexpr std::size_t kQuick = 200'000;
    replay.path = criticalPath(*changed.graph, changed.times, changed.costs,
        changed.graph->operations.size() > kQuick ? 0 : kMostGains);
    replay.graph = changed.graph;
    replay.times = std::make_shared<const StepTimes>(std::move(changed.times));
    replay.changedS = changed.seconds;
    replay.changedLowS = changed.lowS;
    replay.changedHighS = changed.highS;
    replay.changedEnergy = changed.energy;
    replay.changes = std::move(changed.changes);
    return replay;
}

bool isNotReplayable(const Error& error) {
    return error.code == ErrorCode::NotFound || error.code == ErrorCode::Refused;
}

std::string pathPartsText(const StepReplay& replay) {
    const bool hasHost = !replay.graph->isOfOperations;
    std::vector<std::string> parts;
    if (replay.path.exposedOnPathS > 0.0)
        parts.push_back(text::seconds(replay.path.exposedOnPathS) + " of communication");
    if (hasHost && replay.path.hostS > 0.0)
        parts.push_back(text::seconds(replay.path.hostS) + " of the host");
    if (parts.empty())
        parts.emplace_back(hasHost ? "neither communication nor the host" : "no communication");
    return text::joined(parts);
}

Result<std::optional<store::SumSequence>> replayToKeep(
    const RunStudy& study, const ReplayRequest& request, std::size_t leastOperations) {
    ASSIGN_OR_RETURN(const auto key, keyOf(study, request));
    std::optional<store::SumSequence> sequence;
    const auto held = kept(key);
    if (!held || held->graph->operations.size() < leastOperations)
        return sequence;
    const std::lock_guard lock(held->mutex);
    if (!held->facts || std::exchange(held->isStored, true))
        return sequence;
    store::SumSlice slice;
    slice.sums = encodeReplay(key.basis, *held->graph, held->times, *held->facts, held->waits);
    if (slice.sums.size() <= kMostStoredBytes)
        sequence = {kReplayPlace, {std::move(slice)}};
    return sequence;
}

} // namespace trainscope::analysis
