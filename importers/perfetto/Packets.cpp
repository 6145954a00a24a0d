#include "importers/perfetto/Packets.h"

#include "importers/common/JsonScanner.h"

#include <charconv>
#include <cmath>

namespace trainscope::importers::perfetto {
namespace {

constexpr std::uint64_t kRealtime = 1;
constexpr std::uint64_t kMonotonic = 3;
constexpr std::uint64_t kMostNs = std::uint64_t{1} << 61U; // the year 2043
constexpr std::size_t kMostClocks = 10'000;

struct Reading {
    std::uint64_t clock = 0;
    std::uint64_t stamp = 0;
    std::uint64_t unit = 1; // ns
    bool isIncremental = false;

    [[nodiscard]] std::int64_t ns() const { return static_cast<std::int64_t>(stamp * unit); }
};

std::vector<Reading> readingsOf(std::string_view snapshot) {
    std::vector<std::string_view> clocks;
    readFields(snapshot, {{1, &clocks}});
    std::vector<Reading> readings;
    for (const std::string_view clock : clocks) {
        Reading reading;
        readFields(clock,
            {{1, &reading.clock}, {2, &reading.stamp}, {3, &reading.isIncremental},
                {4, &reading.unit}});
        if (reading.unit > 0 && reading.stamp <= kMostNs / reading.unit)
            readings.push_back(reading);
    }
    return readings;
}

bool isOfSequence(std::uint64_t clock) {
    return clock >= 64 && clock < 128;
}

constexpr std::size_t kMostSequences = 100'000;
constexpr std::size_t kFirstFindings = 5;

// Fields of InternedData.
constexpr std::array<std::pair<std::uint32_t, Told>, 8> kTold{
    {{1, Told::Categories}, {2, Told::Names}, {3, Told::Keys}, {24, Told::Stages},
        {29, Told::Values}, {47, Told::Counters}, {1000, Told::Kernels}, {1001, Told::Arguments}}};

constexpr int kDeepest = 16;

void appendTold(const Sequence& sequence, Told kind, std::uint64_t number, std::string& out) {
    const std::string* const told = sequence.text(kind, number);
    appendJsonString(told == nullptr ? "?" : std::string_view(*told), out);
}

// With its quotes; false: it has none.
bool appendKey(std::string_view annotation, const Sequence& sequence, std::string& out) {
    std::optional<std::uint64_t> number;
    std::optional<std::string_view> key;
    eachField(annotation, [&](const MessageField& field) {
        if (field.number == 1)
            number = field.value;
        else if (field.number == 10)
            key = field.bytes;
    });
    if (key)
        appendJsonString(*key, out);
    else if (number)
        appendTold(sequence, Told::Keys, *number, out);
    return key || number;
}

// A value of older writers (DebugAnnotation.NestedValue).
void appendNested(std::string_view message, int depth, std::string& out) {
    std::uint64_t type = 0;
    std::vector<std::string_view> keys, members, items;
    std::optional<std::int64_t> whole;
    std::optional<double> real;
    std::optional<std::uint64_t> flag;
    std::optional<std::string_view> text;
    readFields(message,
        {{1, &type}, {2, &keys}, {3, &members}, {4, &items}, {5, &whole}, {6, &real}, {7, &flag},
            {8, &text}});
    if (text)
        return appendJsonString(*text, out);
    if (whole || real || flag) {
        out += whole     ? std::to_string(*whole)
            : real       ? realJson(*real)
            : *flag != 0 ? "true"
                         : "false";
        return;
    }
    constexpr std::uint64_t kDictionary = 1;
    const bool isList = type != kDictionary && members.empty();
    const std::vector<std::string_view>& values = isList ? items : members;
    out += isList ? '[' : '{';
    for (std::size_t i = 0; i < values.size() && depth < kDeepest; ++i) {
        out.append(i == 0 ? "" : ",");
        if (!isList) {
            appendJsonString(i < keys.size() ? keys[i] : "?", out);
            out += ':';
        }
        appendNested(values[i], depth + 1, out);
    }
    out += isList ? ']' : '}';
}

// Pointers are numbers, JSON is a text, other messages are null; of a list without members nothing
// is written.
void appendScalar(const MessageField& field, const Sequence& sequence, std::string& out) {
    switch (field.number) {
    case 2:
        out += field.value != 0 ? "true" : "false";
        return;
    case 3:
    case 7:
        out += std::to_string(field.value);
        return;
    case 4:
        out += std::to_string(field.whole());
        return;
    case 5:
        out += realJson(field.real());
        return;
    case 6:
    case 9:
        return appendJsonString(field.bytes, out);
    case 14:
        out += "null";
        return;
    case 17:
        return appendTold(sequence, Told::Values, field.value, out);
    default:
        return;
    }
}

void appendValue(
    std::string_view annotation, const Sequence& sequence, int depth, std::string& out) {
    constexpr std::uint32_t kNested = 8;
    constexpr std::uint32_t kMember = 11;
    constexpr std::uint32_t kItem = 12;
    const std::size_t begin = out.size();
    std::uint32_t kind = 0; // the field that it has several of; 0: it is one value
    eachField(annotation, [&](const MessageField& field) {
        if (field.number == kNested && kind == 0)
            appendNested(field.bytes, depth, out);
        else if (field.number != kMember && field.number != kItem && kind == 0)
            appendScalar(field, sequence, out);
        if (field.number != kMember && field.number != kItem)
            return;
        if (kind != field.number) {
            kind = field.number;
            out.resize(begin);
            out += kind == kMember ? '{' : '[';
        }
        const std::size_t before = out.size();
        out.append(before == begin + 1 ? "" : ",");
        if (depth >= kDeepest || (kind == kMember && !appendKey(field.bytes, sequence, out)))
            return out.resize(before);
        out.append(kind == kMember ? ":" : "");
        appendValue(field.bytes, sequence, depth + 1, out);
    });
    if (kind != 0)
        out += kind == kMember ? '}' : ']';
    else if (out.size() == begin)
        out += "[]";
}

} // namespace

Clocks::Key Clocks::keyOf(std::uint64_t sequence, std::uint64_t clock) {
    return {isOfSequence(clock) ? sequence : 0, clock};
}

void Clocks::take(std::uint64_t sequence, std::string_view snapshot) {
    const std::vector<Reading> readings = readingsOf(snapshot);
    for (const std::uint64_t clock : {kBoot, kMonotonic, kRealtime}) {
        if (!m_main && std::ranges::find(readings, clock, &Reading::clock) != readings.end())
            m_main = clock;
    }
    // The moment on the trace's clock: as it says, else by a clock that is known already.
    std::optional<std::int64_t> moment;
    for (const Reading& reading : readings) {
        const auto known = m_clocks.find(keyOf(sequence, reading.clock));
        if (reading.clock == m_main)
            moment = reading.ns();
        else if (!moment && known != m_clocks.end())
            moment = reading.ns() + known->second.toMain;
    }
    if (moment && (*moment < 0 || *moment > static_cast<std::int64_t>(kMostNs)))
        return;
    for (const Reading& reading : readings) {
        if (reading.clock == kRealtime && moment && !m_toUtc)
            m_toUtc = DurationNs{reading.ns() - *moment};
        const Key key = keyOf(sequence, reading.clock);
        if (m_clocks.size() < kMostClocks || m_clocks.contains(key))
            m_clocks[key] = {moment ? *moment - reading.ns() : 0, reading.unit,
                reading.isIncremental, reading.stamp * reading.unit};
    }
}

std::optional<std::int64_t> Clocks::ns(
    std::uint64_t sequence, std::uint64_t clock, std::uint64_t stamp) {
    const auto found = m_clocks.find(keyOf(sequence, clock));
    if (found == m_clocks.end() && isOfSequence(clock))
        return std::nullopt;
    Clock unknown;
    Clock& known = found == m_clocks.end() ? unknown : found->second;
    if (stamp > kMostNs / known.unit)
        return std::nullopt;
    std::uint64_t own = stamp * known.unit;
    if (known.isIncremental)
        own = known.last = std::min(known.last + own, kMostNs);
    const std::int64_t main = static_cast<std::int64_t>(own) + known.toMain;
    return main < 0 || main > static_cast<std::int64_t>(kMostNs) ? std::nullopt
                                                                 : std::optional(main);
}

// The fields of a packet as they stand there.
struct PacketReader::Raw {
    std::uint64_t sequence = 0;
    std::uint64_t flags = 0;
    bool isCleared = false;
    bool followsLoss = false;
    std::optional<std::uint64_t> stamp;
    std::optional<std::uint64_t> clock;
    std::string_view defaults, texts, snapshot, zlib, zstd;
};

void Findings::addBad(std::uint64_t offset, std::string_view what) {
    if (bad++ < static_cast<std::int64_t>(kFirstFindings))
        first.push_back("the packet at byte " + std::to_string(offset) + " " + std::string(what)
            + " and was left out");
}

const std::string* Sequence::text(Told kind, std::uint64_t number) const {
    const auto& texts = told[static_cast<std::size_t>(kind)];
    const auto found = texts.find(number);
    return found == texts.end() ? nullptr : &found->second;
}

void Sequence::forget() {
    for (auto& texts : told)
        texts.clear();
    counters.clear();
    counterTracks = {};
    clock.reset();
    track = 0;
}

bool PacketReader::next(Packet& packet) {
    WireField field;
    for (;;) {
        packet = {};
        m_isInside = !m_inner.empty();
        if (m_isInside) {
            const std::string_view message = m_inner.front();
            m_inner.pop_front();
            if (take(message, packet))
                return true;
            continue;
        }
        m_offset = m_wire.offset();
        if (!m_wire.next(field))
            return false;
        if (field.number != 1 || !field.isBytes)
            continue;
        const auto message = m_wire.bytes(kMostPacket);
        if (message && take(*message, packet))
            return true;
        if (!message && !m_wire.isCut())
            m_findings.addBad(m_offset, "is longer than any");
    }
}

bool PacketReader::take(std::string_view message, Packet& packet) {
    Raw raw;
    const bool isSound = readFields(message,
        {{6, &raw.snapshot}, {8, &raw.stamp}, {10, &raw.sequence}, {11, &packet.event},
            {12, &raw.texts}, {13, &raw.flags}, {41, &raw.isCleared}, {42, &raw.followsLoss},
            {50, &raw.zlib}, {52, &packet.counters}, {53, &packet.stage}, {58, &raw.clock},
            {59, &raw.defaults}, {60, &packet.track}, {133, &raw.zstd}});
    if (!isSound) {
        m_findings.addBad(m_offset, "is damaged");
        return false;
    }
    if (!raw.zlib.empty() || !raw.zstd.empty()) {
        // Packets in packed ones are not packed again.
        if (!m_isInside)
            raw.zlib.empty() ? unpack(Compression::Zstd, raw.zstd)
                             : unpack(Compression::Zlib, raw.zlib);
        return false;
    }
    packet.offset = m_offset;
    packet.sequence = &sequenceOf(raw);
    if (raw.stamp)
        packet.ns = m_clocks.ns(raw.sequence,
            raw.clock.value_or(packet.sequence->clock.value_or(Clocks::kBoot)), *raw.stamp);
    constexpr std::uint64_t kNeedsState = 2;
    const bool isKnown = (raw.flags & kNeedsState) == 0 || packet.sequence->hasState;
    const bool happens = !packet.event.empty() || !packet.stage.empty() || !packet.counters.empty();
    m_findings.withoutState += isKnown ? 0 : 1;
    m_findings.withoutTime += isKnown && happens && !packet.ns ? 1 : 0;
    if (!isKnown || !packet.ns)
        packet.event = packet.stage = packet.counters = {};
    return (happens && isKnown && packet.ns) || !packet.track.empty();
}

void PacketReader::unpack(Compression kind, std::string_view packed) {
    m_unpacked.clear();
    if (m_expanded > std::max(kAlwaysAllowed, kMostRatio * m_wire.offset()))
        return m_findings.addBad(
            m_offset, "is one of those that expand to far more than any recording");
    auto stream = decompressed(kind, memoryStream(packed), "packets");
    const Status read = stream.hasValue() ? readUpTo(*stream.value(), kMostPacket, m_unpacked)
                                          : Status(stream.error());
    const bool isSound = eachField(m_unpacked, [this](const MessageField& field) {
        if (field.number == 1 && field.isBytes)
            m_inner.push_back(field.bytes);
    });
    if (!read.hasValue() || !isSound)
        m_findings.addBad(m_offset, "holds compressed ones that are damaged");
    m_expanded += m_unpacked.size();
}

Sequence& PacketReader::sequenceOf(const Raw& raw) {
    const bool isNew = m_sequences.size() < kMostSequences || m_sequences.contains(raw.sequence);
    Sequence& sequence = m_sequences[isNew ? raw.sequence : 0];
    constexpr std::uint64_t kCleared = 1;
    const bool isCleared = raw.isCleared || (raw.flags & kCleared) != 0;
    // The first packet says that others may be missing before it, too.
    const bool isLoss = raw.followsLoss && sequence.wasSeen;
    m_findings.lost += isLoss ? 1 : 0;
    if (isCleared || isLoss) {
        sequence.forget();
        sequence.hasState = isCleared;
    }
    sequence.id = raw.sequence;
    sequence.wasSeen = true;
    if (!raw.snapshot.empty())
        m_clocks.take(raw.sequence, raw.snapshot);
    if (!raw.defaults.empty())
        takeDefaults(raw.defaults, sequence);
    if (!raw.texts.empty())
        takeTexts(raw.texts, sequence);
    return sequence;
}

void PacketReader::takeDefaults(std::string_view message, Sequence& sequence) {
    std::string_view events;
    readFields(message, {{11, &events}, {58, &sequence.clock}});
    sequence.counterTracks = {};
    readFields(events,
        {{11, &sequence.track}, {31, &sequence.counterTracks[0]},
            {45, &sequence.counterTracks[1]}});
}

void PacketReader::takeTexts(std::string_view message, Sequence& sequence) {
    eachField(message, [&](const MessageField& field) {
        const auto told
            = std::ranges::find(kTold, field.number, &std::pair<std::uint32_t, Told>::first);
        if (told == kTold.end() || !field.isBytes)
            return;
        const Told kind = told->second;
        std::uint64_t number = 0;
        std::uint64_t category = 0;
        std::string_view name;
        std::string_view readable;
        readFields(field.bytes, {{1, &number}, {2, &name}, {3, &readable}, {4, &category}});
        std::string text(kind == Told::Counters              ? field.bytes
                : kind == Told::Kernels && !readable.empty() ? readable
                                                             : name);
        if (kind == Told::Stages)
            text.insert(text.begin(), static_cast<char>('0' + (category & 7U)));
        m_textBytes += text.size() + sizeof(std::string);
        if (m_textBytes <= kMostTexts)
            sequence.told[static_cast<std::size_t>(kind)].insert_or_assign(number, std::move(text));
        else
            ++m_findings.beyondMemory;
    });
}

std::string inQuotes(std::string_view text) {
    std::string out;
    appendJsonString(text, out);
    return out;
}

std::string realJson(double value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    return std::isfinite(value) ? std::string(std::begin(digits), end) : "null";
}

void Members::clear() {
    m_text.clear();
    m_places.clear();
}

void Members::add(std::string_view key, std::string_view json) {
    m_text.append(m_text.empty() ? "" : ",");
    const std::size_t begin = m_text.size();
    appendJsonString(key, m_text);
    const std::size_t value = m_text.append(1, ':').size();
    m_places.push_back({begin, value, m_text.append(json).size()});
}

void Members::add(const Members& others) {
    const std::size_t shift = m_text.append(m_text.empty() ? "" : ",").size();
    m_text.append(others.m_text);
    for (const Place& place : others.m_places)
        m_places.push_back({place.key + shift, place.value + shift, place.end + shift});
}

void Members::addAnnotation(
    std::string_view annotation, const Sequence& sequence, std::size_t longest) {
    const std::size_t before = m_text.size();
    const std::size_t key = m_text.append(before == 0 ? "" : ",").size();
    if (!appendKey(annotation, sequence, m_text))
        return m_text.resize(before);
    const std::size_t value = m_text.append(1, ':').size();
    appendValue(annotation, sequence, 0, m_text);
    if (m_text.size() > longest)
        return m_text.resize(before);
    m_places.push_back({key, value, m_text.size()});
}

} // namespace trainscope::importers::perfetto
