// Passes over the traces of a run, cut into slices.
#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

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
        std::int64_t count = 0;
        for (const Track& stream : device.streams)
            count += stream.count;
        m_size = sliceSize(count);
    }

    Status work(const DeviceWork& work) override {
        const TimeNs start = work.span.start;
        const bool isFull = m_meter.begun() >= m_size && m_meter.lastStart() < start;
        if (isFull || !m_meter.hasWork())
            RETURN_IF_ERROR(close(start));
        return m_meter.add(work);
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
        std::sort(sums.delays.begin(), sums.delays.end());
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
    const std::array<DeviceVisitor*, 1> visitors{&slicer};
    DeviceTracks tracks = device;
    tracks.annotations.clear(); // tell phases, which nobody asks for here
    ASSIGN_OR_RETURN(
        const auto evidence, walkDevice(store, tracks, kAllTime, visitors, progress.asked()));
    static_cast<void>(evidence);
    ASSIGN_OR_RETURN(auto slices, slicer.finish());
    return store::SumSequence{
        placeOf(SumKind::Device, device.rank, device.device), std::move(slices)};
}

class ThreadSlicer {
public:
    ThreadSlicer(const Track& thread, SummingProgress& progress)
        : m_meter(thread.range.begin)
        , m_begin(thread.range.begin)
        , m_size(sliceSize(thread.count))
        , m_progress(progress) { }

    Status add(std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (m_meter.begun() >= m_size && m_meter.lastStart() < span.start)
                close(span.start);
            m_meter.add(span);
        }
        return m_progress.add(spans.size());
    }
    std::vector<store::SumSlice> finish(TimeNs end) {
        close(end + DurationNs{1});
        return std::move(m_slices);
    }

private:
    void close(TimeNs end) {
        store::SumSlice slice;
        slice.begin = m_begin.ns;
        slice.since = kAllTime.end.ns;
        encodeSums(m_meter.close(end), slice.sums);
        m_slices.push_back(std::move(slice));
        m_begin = end;
    }

    OperatorMeter m_meter;
    TimeNs m_begin;
    std::size_t m_size;
    SummingProgress& m_progress;
    std::vector<store::SumSlice> m_slices;
};

Result<store::SumSequence> sumThread(
    const store::Store& store, const Track& thread, SummingProgress& progress) {
    ThreadSlicer slicer(thread, progress);
    Status added;
    RETURN_IF_ERROR(store.forEachSpan(thread.id, kAllTime, [&](std::span<const Span> spans) {
        added = slicer.add(spans);
        return added.hasValue();
    }));
    if (!added.hasValue())
        return added.error();
    return store::SumSequence{placeOf(SumKind::Thread, thread.description.rank, thread.id.value),
        slicer.finish(thread.range.end)};
}

// Entries are in order of start.
template <typename Entry>
std::vector<store::SumSlice> slicesOf(std::span<const Entry> entries) {
    std::vector<store::SumSlice> slices;
    for (std::size_t at = 0; at < entries.size(); at += kCallsInSlice) {
        const auto part = entries.subspan(at, std::min(kCallsInSlice, entries.size() - at));
        CallSums sums;
        for (const Entry& entry : part)
            add(sums, entry);
        store::SumSlice slice;
        slice.begin = part.front().start;
        slice.since = kAllTime.end.ns;
        encodeSums(sums, slice.sums);
        encodeEntries(part, slice.detail);
        slices.push_back(std::move(slice));
    }
    return slices;
}

Status sumCalls(const RunStudy& study, SummingProgress& progress, CallGroups& groups,
    std::vector<store::SumSequence>& sequences) {
    ASSIGN_OR_RETURN(auto calls, Calls::open(study));
    groups = CallGroups(calls.ranks());
    for (const int rank : calls.ranks()) {
        RETURN_IF_ERROR(progress.add(0));
        ASSIGN_OR_RETURN(const auto made, calls.read(rank, kAllTime, static_cast<std::size_t>(-1)));
        std::vector<CallEntry> entries;
        entries.reserve(made.size());
        for (const Call& call : made)
            entries.push_back(entryOf(call, calls, groups));
        if (!entries.empty())
            sequences.push_back({placeOf(SumKind::Calls, rank), slicesOf<CallEntry>(entries)});
    }
    return {};
}

Status sumWaits(const RunStudy& study, SummingProgress& progress, CallGroups& groups,
    std::vector<store::SumSequence>& sequences) {
    const RunStudy waited{study.store, study.run, progress.asked()};
    ASSIGN_OR_RETURN(const auto clocks, alignRanks(waited));
    std::map<int, std::vector<WaitEntry>> waits; // by rank
    const auto take = [&](const Collective& one) {
        forEachWait(one, clocks, groups,
            [&waits](int rank, const WaitEntry& wait) { waits[rank].push_back(wait); });
        return true;
    };
    const auto scan = forEachCollective(waited, clocks, take);
    if (!scan.hasValue())
        return scan.error();
    for (auto& [rank, entries] : waits) {
        std::stable_sort(entries.begin(), entries.end(),
            [](const WaitEntry& a, const WaitEntry& b) { return a.start < b.start; });
        sequences.push_back({placeOf(SumKind::Waits, rank), slicesOf<WaitEntry>(entries)});
    }
    return {};
}

} // namespace

Result<store::KeptSums> sumTraces(const RunStudy& study) {
    store::KeptSums kept;
    kept.run = study.run.id;
    kept.basis = kTraceSumsVersion;
    ASSIGN_OR_RETURN(kept.state, store::sourceState(study.store, study.run.id));
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::int64_t spans = 0;
    for (const Track& track : tracks)
        spans += track.count;
    SummingProgress summing(study.progress, spans);
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    for (const DeviceTracks& device : devices) {
        ASSIGN_OR_RETURN(auto sequence, sumDevice(study.store, device, summing));
        kept.sequences.push_back(std::move(sequence));
    }
    for (const Track& track : tracks) {
        if (track.description.kind != TrackKind::Thread || track.count == 0)
            continue;
        ASSIGN_OR_RETURN(auto sequence, sumThread(study.store, track, summing));
        kept.sequences.push_back(std::move(sequence));
    }
    CallGroups groups;
    RETURN_IF_ERROR(sumCalls(study, summing, groups, kept.sequences));
    if (devices.size() > 1)
        RETURN_IF_ERROR(sumWaits(study, summing, groups, kept.sequences));
    groups.encode(kept.names);
    return kept;
}

} // namespace trainscope::analysis
