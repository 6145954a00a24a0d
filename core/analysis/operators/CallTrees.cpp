#include "core/analysis/operators/CallTrees.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/operators/CallMeter.h"
#include "core/analysis/operators/TreeMerge.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/analysis/traces/TraceWindow.h"

#include <iterator>

namespace trainscope::analysis {

namespace {

// Clocks of host and device disagree by microseconds: a launch may seem to come after its work.
constexpr DurationNs kCallsAhead{10'000'000};
constexpr std::size_t kHeldInPart = 131'072; // works and calls between two cuts
constexpr std::int64_t kPartsWanted = 64;
constexpr std::size_t kLeastInPart = 4096;
// Parts end where iterations do, so that these are read without their spans. Not where iterations
// are small, which are read faster than they are kept, nor where many parts would slow the whole.
constexpr std::int64_t kLeastInIteration = 256;
constexpr std::int64_t kMostIterations = 512;

// Tracks that a rank's tree is made of.
struct RankTracks {
    std::vector<Track> threads;
    std::vector<Track> streams;
    std::vector<std::uint32_t> devices; // number of each stream's device
    TimeRange extent = kNoTime;
    std::int64_t spans = 0;
    bool isOfHost = false; // no rank has streams: the work is self time of calls
};

bool hasSpans(const Track& track, TrackKind kind) {
    return track.description.kind == kind && track.count > 0;
}

bool isHostOnly(const std::vector<Track>& tracks) {
    return std::ranges::none_of(
        tracks, [](const Track& track) { return hasSpans(track, TrackKind::Stream); });
}

RankTracks tracksOf(const std::vector<Track>& all, int rank) {
    RankTracks tracks;
    tracks.isOfHost = isHostOnly(all);
    std::map<int, std::uint32_t> devices;
    for (const Track& track : all) {
        if (track.description.rank != rank || track.count == 0)
            continue;
        const TrackKind kind = track.description.kind;
        if (kind != TrackKind::Thread && kind != TrackKind::Stream)
            continue;
        (kind == TrackKind::Thread ? tracks.threads : tracks.streams).push_back(track);
        if (kind == TrackKind::Stream) {
            const auto next = static_cast<std::uint32_t>(devices.size());
            tracks.devices.push_back(
                devices.try_emplace(track.description.device, next).first->second);
        }
        tracks.extent = spanned(tracks.extent, track.range);
        tracks.spans += track.count;
    }
    return tracks;
}

// Reads a rank's calls and work in [begin, end); tell(moment): all that begins before it was added.
template <typename Tell>
Status walkCalls(const store::Store& store, const RankTracks& tracks, TimeRange range,
    CallMeter& meter, Tell&& tell, const Progress& progress) {
    SpanMerge merge;
    TimeRange onHost = range;
    if (range != kAllTime)
        onHost.end = range.end + kCallsAhead;
    for (const Track& track : tracks.threads)
        merge.add(SpanCursor(store, track.id, onHost), kCallsAhead);
    for (const Track& track : tracks.streams)
        merge.add(SpanCursor(store, track.id, range));
    return merge.forEach(
        [&](std::size_t track, const Span& span) -> Status {
            const bool isOnHost = track < tracks.threads.size();
            tell(isOnHost ? span.start - kCallsAhead : span.start);
            if (isOnHost)
                return meter.addHost(static_cast<std::uint32_t>(track), span);
            const bool isWorkSpan = span.kind == SpanKind::Kernel || span.kind == SpanKind::Copy
                || span.kind == SpanKind::Set;
            const std::size_t stream = track - tracks.threads.size();
            return isWorkSpan ? meter.addWork(span, tracks.devices[stream]) : Status();
        },
        "Following calls", progress);
}

// Adds [begin, end) of a rank, read from its traces. `since`, `forward`: from where its calls are
// read, and what they need of the calls before.
Status addTraced(const store::Store& store, const RankTracks& tracks, CallPaths& paths,
    TimeRange part, TimeNs since, const std::map<std::int64_t, ForwardCall>& forward, bool isFirst,
    TreeSums& sums, const Progress& progress) {
    CallMeter meter(store, paths, since, forward);
    if (tracks.isOfHost)
        meter.countSelfTime();
    TimeNs begin = since;
    const auto closeAt = [&](TimeNs end) {
        const CallPart closed = meter.close(end);
        if (begin >= part.begin && begin < end)
            sums.add(closed, std::exchange(isFirst, false));
        begin = end;
    };
    const auto tell = [&](TimeNs moment) {
        if (begin < part.begin && moment >= part.begin)
            closeAt(part.begin);
        if (meter.held() >= kHeldInPart && moment < part.end && moment > begin)
            closeAt(moment);
    };
    RETURN_IF_ERROR(walkCalls(store, tracks, {since, part.end}, meter, tell, progress));
    if (begin < part.begin)
        closeAt(part.begin);
    closeAt(part.end);
    return {};
}

Error damagedTree(const store::Store& store) {
    return {ErrorCode::Unreadable, "The kept call tree of a rank is damaged; import it again.",
        store.path().string()};
}

// Kept call paths of a rank; absent: none.
Result<std::optional<CallPaths>> keptPaths(const RunStudy& study, int rank) {
    ASSIGN_OR_RETURN(
        const auto names, store::keptSumNames(study.store, study.run.id, kTraceSumsVersion));
    std::optional<CallPaths> paths;
    if (!names)
        return paths;
    bool isGood = true;
    RETURN_IF_ERROR(store::forEachSum(study.store, study.run.id, placeOf(SumKind::CallPaths, rank),
        0, 1, store::SumPart::Sums, [&](store::ByteView bytes) {
            isGood = CallPaths::decode(bytes, paths.emplace());
            return Status();
        }));
    if (!isGood)
        return damagedTree(study.store);
    return paths;
}

Result<CallTree> keptTree(
    const RunStudy& study, int rank, const RankTracks& tracks, CallPaths& paths, TimeRange window) {
    const store::SumPlace place = placeOf(SumKind::CallTree, rank);
    ASSIGN_OR_RETURN(const auto slices, store::sumOutlines(study.store, study.run.id, place));
    const TimeNs end = tracks.extent.end + DurationNs{1};
    TreeSums tree(paths);
    bool isFirst = true;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const TimeRange slice{
            {slices[i].begin}, i + 1 < slices.size() ? TimeNs{slices[i + 1].begin} : end};
        const TimeRange part = shared(slice, window);
        if (part.isEmpty())
            continue;
        std::optional<CallPart> sums;
        RETURN_IF_ERROR(store::forEachSum(study.store, study.run.id, place, i, i + 1,
            store::SumPart::Sums, [&](store::ByteView bytes) {
                sums = decodePart(bytes, paths);
                return Status();
            }));
        if (!sums)
            return damagedTree(study.store);
        if (part == slice)
            tree.add(*sums, isFirst);
        else
            RETURN_IF_ERROR(addTraced(study.store, tracks, paths, part,
                std::min(sums->since, part.begin), sums->forward, isFirst, tree, study.progress));
        isFirst = false;
    }
    return tree.tree();
}

// Begins and ends of iterations, in order; none where they are many and small.
std::vector<TimeNs> bordersOf(const std::vector<Iteration>& iterations, std::int64_t spans) {
    std::vector<TimeNs> borders;
    if (std::ssize(iterations) > std::min(kMostIterations, spans / kLeastInIteration))
        return borders;
    for (const Iteration& iteration : iterations) {
        borders.push_back(iteration.range.begin);
        borders.push_back(iteration.range.end);
    }
    std::ranges::sort(borders);
    return borders;
}

Result<std::vector<store::SumSequence>> sumRank(const store::Store& store, const RankTracks& tracks,
    int rank, const std::vector<TimeNs>& borders, const Progress& progress) {
    CallPaths paths;
    CallMeter meter(store, paths, tracks.extent.begin);
    if (tracks.isOfHost)
        meter.countSelfTime();
    store::SumSequence tree{placeOf(SumKind::CallTree, rank), {}};
    const std::size_t most = std::clamp(
        static_cast<std::size_t>(tracks.spans / kPartsWanted), kLeastInPart, kHeldInPart);
    TimeNs begin = tracks.extent.begin;
    const auto closeAt = [&](TimeNs end) {
        const CallPart part = meter.close(end);
        store::SumSlice slice;
        slice.begin = begin.ns;
        slice.since = part.since.ns;
        encodePart(part, slice.sums);
        tree.slices.push_back(std::move(slice));
        begin = end;
    };
    auto border = std::ranges::upper_bound(borders, begin);
    const auto tell = [&](TimeNs moment) {
        for (; border != borders.end() && *border <= moment; ++border) {
            if (*border > begin)
                closeAt(*border);
        }
        if (meter.held() >= most && moment > begin)
            closeAt(moment);
    };
    RETURN_IF_ERROR(walkCalls(store, tracks, kAllTime, meter, tell, progress));
    closeAt(tracks.extent.end + DurationNs{1});
    store::SumSequence named{placeOf(SumKind::CallPaths, rank), {}};
    store::SumSlice& slice = named.slices.emplace_back();
    slice.begin = tracks.extent.begin.ns;
    slice.since = kAllTime.end.ns;
    paths.encode(slice.sums);
    std::vector<store::SumSequence> sequences;
    sequences.push_back(std::move(named));
    sequences.push_back(std::move(tree));
    return sequences;
}

// Devices of a rank that ran kernels; no fewer than one.
Result<std::int64_t> busyDevices(const store::Store& store, const RankTracks& tracks) {
    std::set<std::uint32_t> busy;
    const std::set<std::uint32_t> all(tracks.devices.begin(), tracks.devices.end());
    for (std::size_t i = 0; all.size() > 1 && i < tracks.streams.size(); ++i) {
        RETURN_IF_ERROR(store.forEachSpan(tracks.streams[i].id, kAllTime, [&](auto spans) {
            const bool hasKernels = std::ranges::any_of(
                spans, [](const Span& span) { return span.kind == SpanKind::Kernel; });
            if (hasKernels)
                busy.insert(tracks.devices[i]);
            return !hasKernels;
        }));
    }
    return std::max<std::int64_t>(1, std::ssize(busy));
}

// Source of the trees of a rank's windows.
struct TreeSource {
    int rank = -1;
    RankTracks tracks;
    std::int64_t devices = 1;
    std::optional<CallPaths> kept; // none: from the traces
    std::vector<TimeRange> captures; // captures of the rank; empty: one

    [[nodiscard]] DurationNs tracedIn(TimeRange window) const {
        return captures.size() < 2 ? window.length() : lengthOf(shared(captures, window));
    }
};

Result<TreeSource> treeSourceOf(const RunStudy& study, const std::vector<Track>& tracks, int rank) {
    TreeSource calls{rank, tracksOf(tracks, rank), 1, {}, {}};
    if (calls.tracks.spans == 0)
        return calls;
    ASSIGN_OR_RETURN(calls.devices, busyDevices(study.store, calls.tracks));
    ASSIGN_OR_RETURN(calls.kept, keptPaths(study, rank));
    ASSIGN_OR_RETURN(const auto captures, study.store.captures(study.run.id));
    for (const Capture& capture : captures) {
        if (capture.rank == rank)
            calls.captures.push_back(capture.range);
    }
    calls.captures = united(std::move(calls.captures)); // a file may have been read twice
    return calls;
}

Result<CallTree> treeOf(const RunStudy& study, TreeSource& calls, TimeRange window) {
    const RankTracks& own = calls.tracks;
    CallTree tree;
    tree.rank = calls.rank;
    if (own.spans == 0)
        return tree;
    // Empty where the rank was traced before or after the window alone.
    const TimeNs begin = std::max(window.begin, own.extent.begin);
    const TimeRange shown{
        begin, std::max(begin, std::min(window.end, own.extent.end + DurationNs{1}))};
    if (calls.kept) {
        ASSIGN_OR_RETURN(tree, keptTree(study, calls.rank, own, *calls.kept, shown));
    } else {
        CallPaths traced;
        TreeSums sums(traced);
        if (shown.begin < shown.end)
            RETURN_IF_ERROR(addTraced(
                study.store, own, traced, shown, own.extent.begin, {}, true, sums, study.progress));
        tree = sums.tree();
    }
    tree.rank = calls.rank;
    tree.window = shown;
    tree.rankTime = {calls.tracedIn(shown).ns * calls.devices};
    for (CallNode& node : tree.nodes)
        node.longestRank = isWork(node.kind) ? calls.rank : -1;
    return tree;
}

Result<CallTree> callTree(
    const RunStudy& study, const std::vector<Track>& tracks, int rank, TimeRange window) {
    ASSIGN_OR_RETURN(auto calls, treeSourceOf(study, tracks, rank));
    return treeOf(study, calls, window);
}

} // namespace

Result<std::vector<int>> tracedRanks(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    const TrackKind kind = isHostOnly(tracks) ? TrackKind::Thread : TrackKind::Stream;
    std::vector<int> ranks;
    for (const Track& track : tracks) {
        if (hasSpans(track, kind))
            ranks.push_back(track.description.rank);
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

Result<CallTree> callTree(const RunStudy& study, int rank, TimeRange window) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    return callTree(study, tracks, rank, window);
}

Status forEachCallTree(const RunStudy& study, int rank, const std::vector<TimeRange>& windows,
    const std::function<Status(std::size_t window, const CallTree& tree)>& tell) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(auto calls, treeSourceOf(study, tracks, rank));
    for (std::size_t i = 0; i < windows.size(); ++i) {
        ASSIGN_OR_RETURN(const auto tree, treeOf(study, calls, windows[i]));
        RETURN_IF_ERROR(tell(i, tree));
    }
    return {};
}

Result<CallTree> callTree(const RunStudy& study, const RankWindow& window) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(const auto ranks, tracedRanks(study));
    TreeMerge merge;
    const auto read = [&](const store::Store& store, int rank, const Progress& progress) {
        return callTree({store, study.run, progress}, tracks, rank, window(rank));
    };
    const auto take = [&merge](int, const CallTree& tree) {
        merge.add(tree);
        return Status();
    };
    RETURN_IF_ERROR(forEachPart(study, "Following calls", ranks, read, take));
    return merge.take();
}

Result<CallTree> callTree(const RunStudy& study, TimeRange window) {
    return callTree(study, ownWindows(nullptr, window));
}

Result<std::vector<store::SumSequence>> sumCallTrees(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(const auto ranks, tracedRanks(study));
    ASSIGN_OR_RETURN(const auto iterations, study.store.iterations(study.run.id));
    std::vector<store::SumSequence> all;
    for (const int rank : ranks) {
        const RankTracks own = tracksOf(tracks, rank);
        const auto borders = bordersOf(iterationsOfRank(iterations, rank), own.spans);
        ASSIGN_OR_RETURN(auto sequences, sumRank(study.store, own, rank, borders, study.progress));
        for (store::SumSequence& sequence : sequences)
            all.push_back(std::move(sequence));
    }
    return all;
}

} // namespace trainscope::analysis
