#include "importers/perfetto/ChromeText.h"

#include "core/model/Try.h"
#include "importers/common/JsonText.h"
#include "importers/common/MessageFields.h"
#include "importers/common/ReadAhead.h"
#include "importers/perfetto/Annotations.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace trainscope::importers::perfetto {

namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::size_t kLongestArguments = std::size_t{2} << 20;
constexpr std::int64_t kNsPerUs = 1000;

void appendUs(std::int64_t ns, std::string& out) {
    const std::string fraction = std::to_string(kNsPerUs + ns % kNsPerUs);
    out.append(std::to_string(ns / kNsPerUs)).append(1, '.').append(fraction, 1);
}

// The first writers of PyTorch's told no categories.
std::string_view guessedCategory(std::string_view arguments, std::string_view name) {
    const auto has = [arguments](std::string_view key) { return arguments.find(key) != key.npos; };
    if (has("\"cbid\":"))
        return "cuda_runtime";
    if (has("\"cuda_sync_kind\":"))
        return "cuda_sync";
    if (has("\"Python id\":"))
        return "python_function";
    if (!has("\"External id\":") && !has("\"Record function id\":"))
        return {};
    return name.starts_with("ProfilerStep#") ? "user_annotation" : "cpu_op";
}

std::string categoryOf(const TrackEvent& event, const Sequence& sequence) {
    std::string category;
    for (const std::uint64_t number : event.categoryNumbers) {
        if (const std::string* text = sequence.text(Told::Categories, number))
            category.append(category.empty() ? "" : ",").append(*text);
    }
    for (const std::string_view text : event.categories)
        category.append(category.empty() ? "" : ",").append(text);
    return category;
}

void scanPacket(const Packet& packet, TraceScan& scan) {
    if (!packet.track.empty())
        scan.tracks.take(packet.track);
    if (packet.event.empty() && packet.stage.empty() && packet.counters.empty())
        return;
    ++scan.events;
    const TimeNs moment{*packet.ns};
    scan.extent = scan.extent
        ? TimeRange{std::min(scan.extent->begin, moment), std::max(scan.extent->end, moment)}
        : TimeRange{moment, moment};
    TrackEvent event;
    if (packet.event.empty() || !event.takeType(packet.event)
        || (event.type != TrackEvent::kBegin && event.type != TrackEvent::kEnd))
        return;
    if (const PerfettoTrack* track = scan.tracks.find(event.track.value_or(packet.sequence->track)))
        scan.slices.add(track->number, moment.ns, event.type == TrackEvent::kEnd);
    else
        ++scan.withoutTrack;
}

} // namespace

Result<std::shared_ptr<TraceScan>> scanTrace(const SourceTree& tree, const std::string& path,
    std::string_view phase, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto stream, tree.open(path));
    const auto goesOn = [&, size = tree.sizeOf(path)](std::uint64_t consumed) {
        return !progress || progress({std::string(phase), consumed / 2, size});
    };
    PacketReader reader(*stream, goesOn, false);
    auto scan = std::make_shared<TraceScan>();
    Packet packet;
    while (reader.next(packet))
        scanPacket(packet, *scan);
    if (reader.wire().isCancelled())
        return cancelled();
    scan->slices.finish();
    scan->tracks.finish();
    scan->findings = std::move(reader.findings());
    scan->toUtc = reader.clocks().toUtc();
    scan->bytes = reader.wire().offset();
    if (reader.wire().isCut())
        scan->problem = reader.wire().problem().empty()
            ? "it is cut short or damaged at byte " + std::to_string(reader.wire().offset())
            : reader.wire().problem();
    return scan;
}

bool TrackEvent::takeType(std::string_view message) {
    const bool isSound = readFields(message, {{6, &legacy}, {9, &type}, {11, &track}});
    takeLegacy();
    return isSound;
}

bool TrackEvent::take(std::string_view message) {
    *this = {};
    const bool isSound = readFields(message,
        {{3, &categoryNumbers}, {4, &annotations}, {6, &legacy}, {9, &type}, {10, &nameNumber},
            {11, &track}, {12, &wholes}, {22, &categories}, {23, &name}, {30, &whole},
            {31, &wholeTracks}, {36, &flows}, {42, &lastFlows}, {44, &real}, {45, &realTracks},
            {46, &reals}, {47, &flows}, {48, &lastFlows}, {3000, &correlation}});
    takeLegacy();
    return isSound;
}

void TrackEvent::takeLegacy() {
    if (legacy.empty() || type != kNone)
        return;
    std::uint64_t code = 0;
    readFields(legacy,
        {{1, &nameNumber}, {2, &code}, {3, &durationUs}, {6, &id}, {7, &scope}, {8, &id}, {10, &id},
            {11, &id}});
    constexpr std::int64_t kMostUs = std::int64_t{1} << 51;
    durationUs = std::clamp<std::int64_t>(durationUs, 0, kMostUs);
    phase = static_cast<char>(code & 0x7FU);
    type = phase == 'B' ? kBegin : phase == 'E' ? kEnd : kNone;
}

ChromeText::ChromeText(
    std::unique_ptr<ByteStream> stream, std::uint64_t size, std::shared_ptr<TraceScan> scan)
    : m_stream(std::move(stream))
    , m_size(size)
    , m_scan(std::move(scan))
    , m_packets(*m_stream, {}, true) {
    begin();
}

void ChromeText::begin() {
    m_out = "{";
    if (m_scan->toUtc && m_scan->toUtc->ns != 0)
        m_out += "\"baseTimeNanoseconds\":" + std::to_string(m_scan->toUtc->ns) + ",";
    m_out += "\"traceEvents\":[";
    for (const auto& [uuid, track] : m_scan->tracks.all()) {
        std::string name;
        appendMember("name", inQuotes(track.name), name);
        if (track.tid && !track.name.empty())
            write({'M', {}, "thread_name", track.place, 0, {}, name});
    }
}

Result<std::size_t> ChromeText::read(std::span<std::byte> buffer) {
    if (m_given == m_out.size()) {
        m_out.clear();
        m_given = 0;
        Packet packet;
        while (!m_isOver && m_out.size() < kBlock) {
            m_isOver = !m_packets.next(packet);
            if (!m_isOver)
                add(packet);
        }
        if (m_isOver && !std::exchange(m_isClosed, true)) {
            m_out += "]}";
            m_scan->findings = std::move(m_packets.findings());
        }
    }
    if (m_out.empty() && !m_scan->problem.empty())
        return Error{ErrorCode::Unreadable, m_scan->problem, {}};
    const std::size_t count = std::min(buffer.size(), m_out.size() - m_given);
    if (count > 0)
        std::memcpy(buffer.data(), m_out.data() + m_given, count);
    m_given += count;
    return count;
}

void ChromeText::write(const Event& event) {
    m_out.append(std::exchange(m_isFirst, false) ? "" : ",");
    m_out.append("{\"ph\":\"").append(1, event.phase).append("\",");
    if (!event.category.empty()) {
        m_out.append("\"cat\":");
        appendJsonString(event.category, m_out);
        m_out.append(1, ',');
    }
    m_out.append("\"name\":");
    appendJsonString(event.name, m_out);
    m_out.append(1, ',').append(event.place).append(",\"ts\":");
    appendUs(event.ns, m_out);
    if (event.duration) {
        m_out.append(",\"dur\":");
        appendUs(*event.duration, m_out);
    }
    if (!event.id.empty())
        m_out.append(",\"id\":").append(event.id);
    if (!event.arguments.empty())
        m_out.append(",\"args\":{").append(event.arguments).append(1, '}');
    m_out.append(1, '}');
}

void ChromeText::add(const Packet& packet) {
    if (!packet.event.empty())
        addTrackEvent(packet);
    if (!packet.stage.empty())
        addStage(packet);
    if (!packet.counters.empty())
        addGpuCounters(packet);
}

std::string ChromeText::arguments(const Sequence& sequence) const {
    std::string out;
    for (const std::string_view annotation : m_event.annotations) {
        const std::size_t before = out.size();
        appendAnnotation(annotation, sequence, out);
        if (out.size() > kLongestArguments)
            out.resize(before);
    }
    std::optional<std::uint64_t> stage; // that it submitted to a GPU
    readFields(m_event.correlation, {{1, &stage}});
    if (stage && out.find("\"correlation\":") == out.npos)
        appendMember("correlation", std::to_string(*stage), out);
    return out;
}

void ChromeText::addTrackEvent(const Packet& packet) {
    if (!m_event.take(packet.event))
        return m_packets.findings().addBad(packet.offset, "has a damaged event");
    const std::uint64_t uuid = m_event.track.value_or(packet.sequence->track);
    const PerfettoTrack* const track = m_scan->tracks.find(uuid);
    if (track == nullptr)
        return;
    addCounters(packet);
    constexpr std::string_view kSimple = "beSFstfiI";
    if (m_event.type == TrackEvent::kBegin) {
        if (track->number >= m_next.size())
            m_next.resize(track->number + 1);
        if (const auto length = m_scan->slices.next(track->number, m_next[track->number]))
            addOnTrack('X', packet, *track, length);
    } else if (m_event.phase == 'X') {
        addOnTrack('X', packet, *track, m_event.durationUs * kNsPerUs);
    } else if (m_event.type == TrackEvent::kInstant) {
        addOnTrack('i', packet, *track, {});
    } else if (m_event.phase != '\0' && kSimple.find(m_event.phase) != kSimple.npos) {
        addOnTrack(m_event.phase, packet, *track, {});
    }
}

void ChromeText::addOnTrack(char phase, const Packet& packet, const PerfettoTrack& track,
    std::optional<std::int64_t> duration) {
    const std::string* const told
        = m_event.nameNumber ? packet.sequence->text(Told::Names, *m_event.nameNumber) : nullptr;
    m_packets.findings().withoutName += m_event.name || told != nullptr ? 0 : 1;
    const std::string_view name = m_event.name ? *m_event.name
        : told != nullptr                      ? std::string_view(*told)
                                               : std::string_view("?");
    const std::string own = arguments(*packet.sequence);
    const std::string category = categoryOf(m_event, *packet.sequence);
    const std::string id = !m_event.id ? std::string()
        : m_event.scope.empty()
        ? std::to_string(*m_event.id)
        : inQuotes(std::to_string(*m_event.id) + "/" + std::string(m_event.scope));
    write({phase, category.empty() ? guessedCategory(own, name) : category, name, track.place,
        *packet.ns, duration, own, id});
    for (const auto* flows : {&m_event.flows, &m_event.lastFlows}) {
        const char arrow = flows == &m_event.flows ? 's' : 'f';
        for (const std::uint64_t flow : *flows)
            write({arrow, "flow", "flow", track.place, *packet.ns, {}, {}, std::to_string(flow)});
    }
}

void ChromeText::addCounters(const Packet& packet) {
    Sequence& sequence = *packet.sequence;
    const bool isCounter = m_event.type == TrackEvent::kCounter;
    if (isCounter && (m_event.whole || m_event.real))
        addCounter(sequence, m_event.track.value_or(sequence.track), *packet.ns,
            m_event.whole ? static_cast<double>(*m_event.whole) : *m_event.real);
    const auto addAll = [&](const auto& values, const auto& own, const auto& usual) {
        const auto& tracks = own.empty() ? usual : own;
        for (std::size_t i = 0; i < std::min(values.size(), tracks.size()); ++i)
            addCounter(sequence, tracks[i], *packet.ns, static_cast<double>(values[i]));
    };
    addAll(m_event.wholes, m_event.wholeTracks, sequence.counterTracks[0]);
    addAll(m_event.reals, m_event.realTracks, sequence.counterTracks[1]);
}

void ChromeText::addCounter(Sequence& sequence, std::uint64_t uuid, std::int64_t ns, double value) {
    const PerfettoTrack* const track = m_scan->tracks.find(uuid);
    constexpr std::size_t kMostSums = 100'000;
    const bool isFull = sequence.counters.size() >= kMostSums && !sequence.counters.contains(uuid);
    if (track == nullptr || track->isThreadTime || (track->isIncremental && isFull))
        return;
    if (track->isIncremental)
        value = sequence.counters[uuid] += value;
    const std::string_view name
        = track->name.empty() ? std::string_view("counter") : std::string_view(track->name);
    std::string own;
    appendMember(name, realJson(value * track->multiplier), own);
    if (!track->unit.empty())
        appendMember("unit", inQuotes(track->unit), own);
    write({'C', {}, name, track->place, ns, {}, own});
}

Result<std::shared_ptr<TraceScan>> ChromeTree::scan() const {
    if (!m_scan) {
        ASSIGN_OR_RETURN(m_scan, scanTrace(m_inner, m_path, m_phase, m_progress));
    }
    return m_scan;
}

Result<std::unique_ptr<ByteStream>> ChromeTree::openRaw(const std::string& path) const {
    if (path != m_path)
        return m_inner.openRaw(path);
    ASSIGN_OR_RETURN(auto found, scan());
    ASSIGN_OR_RETURN(auto stream, m_inner.open(path));
    // The text is made while what is before it is understood.
    return std::unique_ptr<ByteStream>(std::make_unique<ReadAhead>(
        std::make_unique<ChromeText>(std::move(stream), m_inner.sizeOf(path), std::move(found))));
}

} // namespace trainscope::importers::perfetto
