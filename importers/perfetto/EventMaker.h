#pragma once
// The events of a Perfetto trace. The file is read twice: scanTrace() takes its tracks, clocks and
// the lengths of slices, which stand behind what is to be said of them.
//
//  - slices are "X" events, counters "C", instants "i", flows "s" and "f", in the file's order;
//  - stages and counters of GPUs are as GpuStages.h says;
//  - events of Chrome's own (legacy_event) keep their phase.

#include "importers/common/Source.h"
#include "importers/perfetto/GpuStages.h"
#include "importers/perfetto/Packets.h"

#include <set>

namespace trainscope::importers::perfetto {

// Lengths of slices, from their begins and ends on their tracks. Writers differ: a program ends
// what it began last, as it goes; PyTorch writes all begins of a kind and then their ends in the
// same order; threads hand over late what they have written. So the events of a track are held
// back, 8 bytes each, and paired
//  - as a stack, where they came in the order of time,
//  - else by runs of begins and as many ends, each the one at its place, where none would end
//    before it begins,
//  - else as a stack in the order of time.

class SlicePairs {
public:
    static constexpr std::size_t kMost = 16'000'000; // begins and ends; those of some 3 GB

    // `track`: a small number; moments in ns, 0 to 2^61. In the order of the file.
    void add(std::uint32_t track, std::int64_t ns, bool isEnd);
    // Arguments of the event added last, an end.
    void say(std::uint32_t track, Members arguments);
    // Behind the last.
    void finish();
    // ns that the next begin of that track lasted, from `at` on, which moves; absent: nobody
    // ended it, or there was no room.
    [[nodiscard]] std::optional<std::int64_t> next(std::uint32_t track, std::size_t& at) const;
    // Arguments of the end of that begin, by its number; nullptr: it has none.
    [[nodiscard]] const Members* said(std::uint32_t track, std::size_t begin) const;
    // Begins or ends without their other half.
    [[nodiscard]] std::int64_t unpaired() const { return m_unpaired; }
    // Begins and ends for which there was no room.
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

private:
    using Events = std::deque<std::int64_t>; // twice the moment, and 1 for an end; then, by begin,
                                             // how long it lasted, or -1

    std::vector<Events> m_tracks;
    std::map<std::pair<std::uint32_t, std::size_t>, Members>
        m_said; // by track and place; then begin
    std::size_t m_held = 0;
    std::int64_t m_unpaired = 0;
    std::int64_t m_leftOut = 0;
};

// The tracks of a Perfetto trace (track_descriptor.proto): threads, processes, counters, and others
// that have a name and a parent. A descriptor is good for all of the file, wherever it stands.

struct PerfettoTrack {
    std::uint32_t number = 0; // from 0
    std::string name;
    std::uint64_t parent = 0;
    std::optional<std::int64_t> pid; // a process's or thread's
    std::optional<std::int64_t> tid; // a thread's
    bool isCounter = false;
    bool isThreadTime = false; // CPU time or instructions of a thread
    bool isIncremental = false;
    double multiplier = 1;
    std::string unit; // "ns", "B", …; empty: not said
    std::string process = "0"; // "pid" and "tid" of its events in Chrome's format, as JSON
    std::string thread;
};

class Tracks {
public:
    static constexpr std::size_t kMost = 200'000;

    void take(std::string_view descriptor);
    // nullptr: there are too many.
    PerfettoTrack* find(std::uint64_t uuid);
    // Places, behind the last descriptor.
    void finish();
    [[nodiscard]] const std::unordered_map<std::uint64_t, PerfettoTrack>& all() const {
        return m_tracks;
    }

private:
    [[nodiscard]] std::optional<std::int64_t> pidOf(const PerfettoTrack& track) const;

    std::unordered_map<std::uint64_t, PerfettoTrack> m_tracks; // by uuid
    std::set<std::pair<std::int64_t, std::string>> m_names; // given to tracks that are no threads
};

struct TraceScan {
    Tracks tracks;
    SlicePairs slices;
    StageWaits waits;
    Findings findings;
    std::optional<DurationNs> toUtc;
    std::optional<TimeRange> extent; // on the trace's clock
    std::int64_t events = 0; // slices, instants, counters and stages
    std::int64_t withoutTrack = 0; // begins and ends, where there are too many tracks
    std::size_t saidBytes = 0; // in arguments of ends
    std::int64_t unsaid = 0; // ends whose arguments found no room
    std::uint64_t bytes = 0; // uncompressed
    std::string problem; // the reason of an early end; empty: none
};
Result<std::shared_ptr<TraceScan>> scanTrace(const SourceTree& tree, const std::string& path,
    std::string_view phase, const Progress& progress);

// The fields of a TrackEvent and of the event of Chrome's own in it, as they stand there.
struct TrackEvent {
    enum Type : std::uint64_t { kNone, kBegin, kEnd, kInstant, kCounter };

    std::uint64_t type = kNone;
    std::optional<std::uint64_t> track, nameNumber;
    std::optional<std::string_view> name;
    std::optional<std::int64_t> whole; // a counter's value
    std::optional<double> real;
    std::string_view legacy, correlation, scope;
    std::vector<std::uint64_t> categoryNumbers, flows, lastFlows, wholeTracks, realTracks;
    std::vector<std::string_view> categories, annotations;
    std::vector<std::int64_t> wholes;
    std::vector<double> reals;
    char phase = '\0'; // Chrome's own
    std::int64_t durationUs = 0;
    std::optional<std::uint64_t> id;

    // False where it is damaged.
    bool take(std::string_view message);
    // The type and the track alone.
    bool takeType(std::string_view message);

private:
    void takeLegacy();
};

class EventMaker {
public:
    // `goesOn`: see WireStream. `scan` is told what was found.
    EventMaker(std::unique_ptr<ByteStream> stream, WireStream::GoesOn goesOn,
        std::shared_ptr<TraceScan> scan, EventWriter::Take take);
    EventMaker(const EventMaker&) = delete;
    EventMaker& operator=(const EventMaker&) = delete;

    // Hands on the events of the next packet; false at the end.
    bool next();
    [[nodiscard]] std::uint64_t bytesConsumed() const { return m_stream->bytesConsumed(); }
    [[nodiscard]] bool isCancelled() const { return m_packets.wire().isCancelled(); }

private:
    void nameThreads();
    void addTrackEvent(const Packet& packet);
    void addOnTrack(char phase, const Packet& packet, const PerfettoTrack& track,
        std::optional<std::int64_t> duration);
    void addCounters(const Packet& packet);
    void addCounter(Sequence& sequence, std::uint64_t uuid, std::int64_t ns, double value);
    void readArguments(const Sequence& sequence);

    std::unique_ptr<ByteStream> m_stream;
    std::shared_ptr<TraceScan> m_scan;
    PacketReader m_packets;
    EventWriter m_writer;
    GpuStages m_stages;
    TrackEvent m_event;
    Members m_members;
    std::vector<std::size_t> m_next; // slices taken, by track
    bool m_hasBegun = false;
};

} // namespace trainscope::importers::perfetto
