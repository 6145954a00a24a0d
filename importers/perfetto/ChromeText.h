#pragma once
// A Perfetto trace as text in Chrome's Trace Event Format, with the categories and arguments of
// PyTorch's Kineto, so that one importer understands both, and a trace has the same spans in
// either. Text, and not the events that are made of it: that text is read anyway as fast as a disk
// delivers it, on other processors than this. The file is read twice: scanTrace() takes its tracks,
// clocks and the lengths of slices, which stand behind what is to be said of them.
//
//  - slices are "X" events, counters "C", instants "i", flows "s" and "f", in the file's order;
//  - stages of a GPU are kernels, copies and annotations on the stream that their queue is;
//  - samples of a GPU's counters have the process "GPU N Counters", as PyTorch's JSON has them;
//  - events of Chrome's own (legacy_event) keep their phase.

#include "core/model/Import.h"
#include "importers/common/Source.h"
#include "importers/perfetto/Packets.h"
#include "importers/perfetto/SlicePairs.h"
#include "importers/perfetto/Tracks.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::importers::perfetto {

struct TraceScan {
    Tracks tracks;
    SlicePairs slices;
    Findings findings;
    std::optional<DurationNs> toUtc;
    std::optional<TimeRange> extent; // on the trace's clock
    std::int64_t events = 0; // slices, instants, counters and stages
    std::int64_t withoutTrack = 0; // begins and ends, where there are too many tracks
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

class ChromeText final : public ByteStream {
public:
    // `size`: of the file. `scan` is told what was found.
    ChromeText(
        std::unique_ptr<ByteStream> stream, std::uint64_t size, std::shared_ptr<TraceScan> scan);

    Result<std::size_t> read(std::span<std::byte> buffer) override;
    // The scan is the first half of the work.
    [[nodiscard]] std::uint64_t bytesConsumed() const override {
        return (m_size + m_stream->bytesConsumed()) / 2;
    }

private:
    // The members of one in the text.
    struct Event {
        char phase = 'X';
        std::string_view category;
        std::string_view name;
        std::string_view place; // "pid" and "tid"
        std::int64_t ns = 0;
        std::optional<std::int64_t> duration = {};
        std::string_view arguments = {}; // members
        std::string_view id = {}; // JSON
    };
    struct GpuCounters {
        std::int64_t gpu = 0;
        std::map<std::uint64_t, std::string> names;
    };

    void begin();
    void add(const Packet& packet);
    void addTrackEvent(const Packet& packet);
    void addOnTrack(char phase, const Packet& packet, const PerfettoTrack& track,
        std::optional<std::int64_t> duration);
    void addCounters(const Packet& packet);
    void addCounter(Sequence& sequence, std::uint64_t uuid, std::int64_t ns, double value);
    void addStage(const Packet& packet);
    void addGpuCounters(const Packet& packet);
    GpuCounters& countersOf(const Packet& packet);
    void write(const Event& event);
    [[nodiscard]] std::string arguments(const Sequence& sequence) const;

    std::unique_ptr<ByteStream> m_stream;
    std::uint64_t m_size;
    std::shared_ptr<TraceScan> m_scan;
    PacketReader m_packets;
    TrackEvent m_event;
    std::vector<std::size_t> m_next; // slices taken, by track
    std::map<std::pair<std::uint64_t, std::uint64_t>, GpuCounters>
        m_gpuCounters; // by sequence and number of their description; without one, by GPU
    std::string m_out;
    std::size_t m_given = 0; // of m_out
    bool m_isFirst = true; // no event was written
    bool m_isOver = false; // no packet follows
    bool m_isClosed = false; // nor text
};

// A tree in which one Perfetto trace is such text, for importers that read it. The trace is scanned
// when it is opened first. One thread.
class ChromeTree final : public SourceTree {
public:
    ChromeTree(const SourceTree& inner, std::string path, std::string phase, Progress progress)
        : m_inner(inner)
        , m_path(std::move(path))
        , m_phase(std::move(phase))
        , m_progress(std::move(progress)) { }

    Result<std::shared_ptr<TraceScan>> scan() const;

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_inner.files(); }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override;
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_inner.displayPath(path);
    }

private:
    const SourceTree& m_inner;
    std::string m_path;
    std::string m_phase;
    Progress m_progress;
    mutable std::shared_ptr<TraceScan> m_scan;
};

} // namespace trainscope::importers::perfetto
