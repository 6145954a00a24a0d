#pragma once
// The events of a Perfetto trace. The file is read twice: scanTrace() takes its tracks, clocks and
// the lengths of slices, which stand behind what is to be said of them.
//
//  - slices are "X" events, counters "C", instants "i", flows "s" and "f", in the file's order;
//  - stages and counters of GPUs are as GpuStages.h says;
//  - events of Chrome's own (legacy_event) keep their phase.

#include "core/model/Import.h"
#include "importers/common/Source.h"
#include "importers/perfetto/GpuStages.h"
#include "importers/perfetto/SlicePairs.h"
#include "importers/perfetto/Tracks.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::perfetto {

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
