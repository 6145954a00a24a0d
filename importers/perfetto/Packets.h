#pragma once
// The packets of a Perfetto trace (trace_packet.proto), one after another, compressed ones too,
// each with the state of its sequence: names that were told once, defaults, clocks. Field numbers
// are those of google/perfetto, protos/perfetto/trace. Memory is bounded: a packet of up to
// kMostPacket bytes, or as much of compressed ones, and kMostTexts bytes of names; so is what all
// compressed ones expand to, as Decompress.h allows a file. One thread.

#include "importers/common/Decompress.h"
#include "importers/common/MessageFields.h"
#include "importers/trace/StringTable.h"

#include <deque>

namespace trainscope::importers::perfetto {

// Clocks of a Perfetto trace (clock_snapshot.proto). Stamps of any of them become ns of the trace's
// own, the time since boot unless the trace has none; snapshots say how they lie to each other.
// Clocks 64 to 127 belong to one sequence of packets; some count from the stamp before.

class Clocks {
public:
    static constexpr std::uint64_t kBoot = 6;

    // A ClockSnapshot of that sequence.
    void take(std::uint64_t sequence, std::string_view snapshot);
    // Absent: beyond the range of time, or of a clock of the sequence that no snapshot has.
    std::optional<std::int64_t> ns(
        std::uint64_t sequence, std::uint64_t clock, std::uint64_t stamp);
    // From the trace's clock to UTC; absent where no snapshot has both.
    [[nodiscard]] std::optional<DurationNs> toUtc() const { return m_toUtc; }

private:
    struct Clock {
        std::int64_t toMain = 0;
        std::uint64_t unit = 1; // ns
        bool isIncremental = false;
        std::uint64_t last = 0; // ns, of an incremental one
    };
    using Key = std::pair<std::uint64_t, std::uint64_t>; // sequence or 0, clock

    static Key keyOf(std::uint64_t sequence, std::uint64_t clock);

    std::map<Key, Clock> m_clocks;
    std::optional<std::uint64_t> m_main;
    std::optional<DurationNs> m_toUtc;
};

// Damage and loss that a report has to tell, in the order of the file.
struct Findings {
    std::vector<std::string> first; // the first few bad packets, with their place
    std::int64_t bad = 0;
    std::int64_t lost = 0; // times that packets were lost before one
    std::int64_t withoutState = 0; // packets that need what was lost
    std::int64_t withoutTime = 0;
    std::int64_t withoutName = 0; // events whose name was lost
    std::int64_t beyondMemory = 0; // names

    void addBad(std::uint64_t offset, std::string_view what);
};

// Texts that a sequence tells once and means by number.
enum class Told { Categories, Names, Keys, Values, Stages, Kernels, Arguments, Counters, kCount };

struct Sequence {
    std::uint64_t id = 0;
    bool wasSeen = false;
    bool hasState = false; // nothing that later packets need was lost
    std::optional<std::uint64_t> clock;
    std::uint64_t track = 0;
    std::array<std::vector<std::uint64_t>, 2> counterTracks; // for whole and for real values
    std::array<std::unordered_map<std::uint64_t, std::string>,
        static_cast<std::size_t>(Told::kCount)>
        told; // for Counters the message; for Stages the category, a digit, before the name
    std::unordered_map<std::uint64_t, double> counters; // sums of incremental ones, by track

    [[nodiscard]] const std::string* text(Told kind, std::uint64_t number) const;
    void forget();
};

// Views are valid until the next packet.
struct Packet {
    std::uint64_t offset = 0; // the packet's, or that of the compressed one around it
    std::optional<std::int64_t> ns; // on the trace's clock
    std::string_view event; // a TrackEvent
    std::string_view track; // a TrackDescriptor
    std::string_view stage; // a GpuRenderStageEvent
    std::string_view counters; // a GpuCounterEvent
    Sequence* sequence = nullptr;
};

class PacketReader {
public:
    static constexpr std::size_t kMostPacket = std::size_t{16} << 20;
    static constexpr std::size_t kMostTexts = std::size_t{64} << 20;

    PacketReader(ByteStream& stream, WireStream::GoesOn goesOn)
        : m_wire(stream, std::move(goesOn)) { }

    // The next packet with an event, a track or a counter; false at the end, or of it.
    bool next(Packet& packet);
    [[nodiscard]] const WireStream& wire() const { return m_wire; }
    [[nodiscard]] Findings& findings() { return m_findings; }
    [[nodiscard]] const Clocks& clocks() const { return m_clocks; }

private:
    struct Raw;
    bool take(std::string_view message, Packet& packet);
    void unpack(Compression kind, std::string_view packed);
    Sequence& sequenceOf(const Raw& raw);
    static void takeDefaults(std::string_view message, Sequence& sequence);
    void takeTexts(std::string_view message, Sequence& sequence);

    WireStream m_wire;
    Findings m_findings;
    Clocks m_clocks;
    std::map<std::uint64_t, Sequence> m_sequences;
    std::string m_unpacked;
    std::deque<std::string_view> m_inner; // packets in m_unpacked
    bool m_isInside = false; // the packet at hand is one of them
    std::uint64_t m_offset = 0;
    std::uint64_t m_expanded = 0; // bytes of all compressed ones
    std::size_t m_textBytes = 0;
};

// Debug annotations of a track event (debug_annotation.proto), and other values, as the members of
// a JSON object.

// Members as strict JSON, and where each stands in the text.
class Members {
public:
    struct Place {
        std::size_t key = 0;
        std::size_t value = 0;
        std::size_t end = 0;
    };

    void clear();
    void add(std::string_view key, std::string_view json);
    void add(const Members& others);
    // Nothing for one without a key, nor for one that makes the text longer than `longest`; what
    // lies deeper than 16 values is left out.
    void addAnnotation(std::string_view annotation, const Sequence& sequence, std::size_t longest);
    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }

private:
    std::string m_text;
    std::vector<Place> m_places;
};

std::string inQuotes(std::string_view text);
// null for what is not finite.
std::string realJson(double value);

} // namespace trainscope::importers::perfetto
