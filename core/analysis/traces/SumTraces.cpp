// Passes over the traces of a run, cut into slices.
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/model/Gather.h"
#include "core/store/database/Spill.h"

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kSlicesWanted = 256;
constexpr std::int64_t kLeastInSlice = 2048;
constexpr std::int64_t kMostInSlice = 32'768;
constexpr std::size_t kCallsInSlice = 4096;

std::size_t sliceSize(std::int64_t spans) {
    return static_cast<std::size_t>(std::clamp(spans / kSlicesWanted, kLeastInSlice, kMostInSlice));
}

class SummingProgress {
public:
    SummingProgress(const Progress& progress, std::int64_t spans)
        : m_progress(progress)
        , m_total(static_cast<std::uint64_t>(spans) * sizeof(Span)) { }

    [[nodiscard]] bool goesOn() const {
        return !m_progress || m_progress({"Summing traces", std::min(m_done, m_total), m_total});
    }
    [[nodiscard]] Status add(std::size_t spans) {
        m_done += spans * sizeof(Span);
        return goesOn() ? Status() : Status(cancelled());
    }
    // For a reader that asks whether to go on.
    [[nodiscard]] Progress asked() const {
        return m_progress ? Progress([this](const ProgressState&) { return goesOn(); })
                          : Progress();
    }

private:
    const Progress& m_progress;
    std::uint64_t m_total;
    std::uint64_t m_done = 0;
};

// Cuts the work of a device where enough of it has begun, and at the first of it.
class DeviceSlicer : public DeviceVisitor {
public:
    DeviceSlicer(const store::Store& store, const DeviceTracks& device, SummingProgress& progress)
        : m_meter(store, device, device.extent.begin, device.extent.begin)
        , m_begin(device.extent.begin)
        , m_end(device.extent.end + DurationNs{1}) // with what has no duration
        , m_progress(progress) {
        const std::int64_t count = summed<std::int64_t>(device.streams, &Track::count);
        m_size = sliceSize(count);
    }

    Status work(const DeviceWork& work) override {
        const TimeNs start = work.span.start;
        const bool isFull = m_meter.begun() >= m_size && m_meter.lastStart() < start;
        if (isFull || !m_meter.hasWork())
            RETURN_IF_ERROR(close(start));
        return m_meter.work(work);
    }

    Result<std::vector<store::SumSlice>> finish() {
        RETURN_IF_ERROR(close(m_end));
        return std::move(m_slices);
    }

private:
    Status close(TimeNs end) {
        RETURN_IF_ERROR(m_progress.add(m_meter.begun()));
        store::SumSlice slice;
        slice.begin = m_begin.ns;
        slice.since = m_meter.since().ns;
        ASSIGN_OR_RETURN(auto sums, m_meter.close(end));
        encodeSums(sums, slice.sums);
        std::ranges::sort(sums.delays);
        encodeDelays(sums.delays, slice.detail);
        m_slices.push_back(std::move(slice));
        m_begin = end;
        return {};
    }

    DeviceSumsMeter m_meter;
    TimeNs m_begin;
    TimeNs m_end;
    SummingProgress& m_progress;
    std::size_t m_size = 0;
    std::vector<store::SumSlice> m_slices;
};

Result<store::SumSequence> sumDevice(
    const store::Store& store, const DeviceTracks& device, SummingProgress& progress) {
    DeviceSlicer slicer(store, device, progress);
    RETURN_IF_ERROR(DeviceReading{store, device, progress.asked()}.walkLaunches(kAllTime, slicer));
    ASSIGN_OR_RETURN(auto slices, slicer.finish());
    return store::SumSequence{
        placeOf(SumKind::Device, device.rank, device.device), std::move(slices)};
}

Result<store::SumSequence> sumThread(
    const store::Store& store, const Track& thread, SummingProgress& progress) {
    store::SumSequence sequence{
        placeOf(SumKind::Thread, thread.description.rank, thread.id.value), {}};
    RETURN_IF_ERROR(forEachOperatorPart(
        store, thread, {thread.range.begin, thread.range.end + DurationNs{1}},
        sliceSize(thread.count), [&](std::size_t spans) { return progress.add(spans).hasValue(); },
        [&](TimeRange part, const OperatorSums& sums) {
            store::SumSlice& slice = sequence.slices.emplace_back();
            slice.begin = part.begin.ns;
            slice.since = kAllTime.end.ns;
            encodeSums(sums, slice.sums);
        }));
    return sequence;
}

// Cuts the entries of ranks, which come rank by rank in order of start.
template <typename Entry>
class EntrySlicer {
public:
    EntrySlicer(SumKind kind, const store::Store& store, store::KeptSums& kept)
        : m_kind(kind)
        , m_store(store)
        , m_kept(kept) { }

    Status add(int rank, const Entry& entry) {
        if (rank != m_rank)
            RETURN_IF_ERROR(finish());
        m_rank = rank;
        m_entries.push_back(entry);
        if (m_entries.size() == kCallsInSlice)
            close();
        return {};
    }
    Status finish() {
        if (!m_entries.empty())
            close();
        store::SumSequence sequence{placeOf(m_kind, m_rank), std::exchange(m_slices, {})};
        return sequence.slices.empty() ? Status() : m_kept.add(std::move(sequence), m_store.path());
    }

private:
    void close() {
        CallSums sums;
        for (const Entry& entry : m_entries)
            analysis::add(sums, entry);
        store::SumSlice slice;
        slice.begin = m_entries.front().start;
        slice.since = kAllTime.end.ns;
        encodeSums(sums, slice.sums);
        encodeEntries(m_entries, slice.detail);
        m_slices.push_back(std::move(slice));
        m_entries.clear();
    }

    SumKind m_kind;
    const store::Store& m_store;
    store::KeptSums& m_kept;
    int m_rank = -1;
    std::vector<Entry> m_entries;
    std::vector<store::SumSlice> m_slices;
};

Status sumCalls(
    const RunStudy& study, SummingProgress& progress, CallGroups& groups, store::KeptSums& kept) {
    ASSIGN_OR_RETURN(auto calls, Calls::open(study));
    groups = CallGroups(calls.ranks());
    EntrySlicer<CallEntry> slicer(SumKind::Calls, study.store, kept);
    for (const int rank : calls.ranks()) {
        RETURN_IF_ERROR(progress.add(0));
        ASSIGN_OR_RETURN(const auto made, calls.read(rank, kAllTime, static_cast<std::size_t>(-1)));
        for (const Call& call : made)
            RETURN_IF_ERROR(slicer.add(rank, entryOf(call, calls, groups)));
    }
    return slicer.finish();
}

struct RankWait {
    int rank = 0;
    WaitEntry wait;
};
struct WaitOrder {
    bool operator()(const RankWait& a, const RankWait& b) const {
        return std::pair(a.rank, a.wait.start) < std::pair(b.rank, b.wait.start);
    }
};

// Collectives come with their waits of all ranks, about in the order of time.
Status sumWaits(const RunStudy& study, SummingProgress& progress, std::size_t waitsInMemory,
    CallGroups& groups, store::KeptSums& kept) {
    const RunStudy waited{study.store, study.run, progress.asked()};
    ASSIGN_OR_RETURN(const auto clocks, alignRanks(waited));
    store::ExternalSorter<RankWait, WaitOrder> waits(study.store.path(), waitsInMemory);
    Status added;
    const auto take = [&](const Collective& one) {
        forEachWait(one, clocks, groups, [&](int rank, const WaitEntry& wait) {
            if (added.hasValue())
                added = waits.add({rank, wait});
        });
        return added.hasValue();
    };
    const auto scan = forEachCollective(waited, clocks, take);
    if (!scan.hasValue())
        return scan.error();
    if (!added.hasValue())
        return added.error();
    EntrySlicer<WaitEntry> slicer(SumKind::Waits, study.store, kept);
    RETURN_IF_ERROR(
        waits.drain([&slicer](const RankWait& one) { return slicer.add(one.rank, one.wait); }));
    return slicer.finish();
}

} // namespace

Result<store::KeptSums> sumTraces(const RunStudy& study, std::size_t waitsInMemory) {
    store::KeptSums kept;
    kept.run = study.run.id;
    kept.basis = kTraceSumsVersion;
    ASSIGN_OR_RETURN(kept.state, store::sourceState(study.store, study.run.id));
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    const std::int64_t spans = summed<std::int64_t>(tracks, &Track::count);
    SummingProgress summing(study.progress, spans);
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    for (const DeviceTracks& device : devices) {
        ASSIGN_OR_RETURN(auto sequence, sumDevice(study.store, device, summing));
        RETURN_IF_ERROR(kept.add(std::move(sequence), study.store.path()));
    }
    for (const Track& track : tracks) {
        if (track.description.kind != TrackKind::Thread || track.count == 0)
            continue;
        ASSIGN_OR_RETURN(auto sequence, sumThread(study.store, track, summing));
        RETURN_IF_ERROR(kept.add(std::move(sequence), study.store.path()));
    }
    CallGroups groups;
    RETURN_IF_ERROR(sumCalls(study, summing, groups, kept));
    if (devices.size() > 1)
        RETURN_IF_ERROR(sumWaits(study, summing, waitsInMemory, groups, kept));
    groups.encode(kept.names);
    return kept;
}

} // namespace trainscope::analysis
