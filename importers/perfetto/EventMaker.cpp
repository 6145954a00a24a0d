#include "importers/perfetto/EventMaker.h"

#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "importers/common/MessageFields.h"

#include <numeric>

namespace trainscope::importers::perfetto {

namespace {

constexpr std::int64_t kOpen = -1;
constexpr std::uint32_t kNoEnd = ~std::uint32_t{0};

using Events = std::deque<std::int64_t>;
using Ends = std::vector<std::uint32_t>; // the place of each begin's

bool isEnd(std::int64_t event) {
    return (event & 1) != 0;
}

bool isEarlier(std::int64_t a, std::int64_t b) {
    return a >> 1 < b >> 1;
}

Ends pairedAsStack(const Events& events) {
    std::vector<std::uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0U);
    if (!std::ranges::is_sorted(events, isEarlier))
        std::ranges::stable_sort(
            order, isEarlier, [&events](std::uint32_t place) { return events[place]; });
    std::vector<std::uint32_t> numbers(events.size()); // the begins', by place
    std::uint32_t begins = 0;
    for (std::size_t i = 0; i < events.size(); ++i)
        numbers[i] = isEnd(events[i]) ? 0 : begins++;
    Ends ends(begins, kNoEnd);
    std::vector<std::uint32_t> stack;
    for (const std::uint32_t place : order) {
        if (!isEnd(events[place])) {
            stack.push_back(place);
        } else if (!stack.empty()) {
            ends[numbers[stack.back()]] = place;
            stack.pop_back();
        }
    }
    return ends;
}

std::optional<Ends> pairedByRuns(const Events& events) {
    Ends ends;
    for (std::size_t at = 0; at < events.size();) {
        const auto begin = events.begin() + static_cast<std::ptrdiff_t>(at);
        const auto middle = std::find_if(begin, events.end(), isEnd);
        const auto count = static_cast<std::size_t>(middle - begin);
        const auto end = std::find_if_not(middle, events.end(), isEnd);
        if (static_cast<std::size_t>(end - middle) != count)
            return std::nullopt;
        const bool isStack = std::is_sorted(begin, end, isEarlier);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t place = at + (isStack ? 2 * count - 1 - i : count + i);
            ends.push_back(static_cast<std::uint32_t>(place));
            if (isEarlier(events[place], events[at + i]))
                return std::nullopt;
        }
        at += 2 * count;
    }
    return ends;
}

void takeCounter(std::string_view message, PerfettoTrack& track) {
    std::uint64_t type = 0;
    std::uint64_t unit = 0;
    std::int64_t multiplier = 1;
    std::string_view unitName;
    readFields(message,
        {{1, &type}, {3, &unit}, {4, &multiplier}, {5, &track.isIncremental}, {6, &unitName}});
    track.isThreadTime = type == 1 || type == 2;
    track.multiplier = multiplier == 0 ? 1 : static_cast<double>(multiplier);
    track.unit = !unitName.empty() ? unitName : unit == 1 ? "ns" : unit == 3 ? "B" : "";
}

constexpr std::size_t kLongestArguments = std::size_t{2} << 20;

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

// Arguments of an end, which are its slice's.
void takeSaid(const Packet& packet, std::uint32_t track, TraceScan& scan) {
    std::vector<std::string_view> annotations;
    readFields(packet.event, {{4, &annotations}});
    Members said;
    for (const std::string_view annotation : annotations)
        said.addAnnotation(annotation, *packet.sequence, kLongestArguments);
    if (said.places().empty())
        return;
    scan.saidBytes += said.text().size() + sizeof(Members);
    if (scan.saidBytes <= PacketReader::kMostTexts)
        scan.slices.say(track, std::move(said));
    else
        ++scan.unsaid;
}

void scanPacket(const Packet& packet, TraceScan& scan) {
    if (!packet.track.empty())
        scan.tracks.take(packet.track);
    if (!packet.stage.empty())
        scan.waits.take(packet.stage);
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
    const PerfettoTrack* const track
        = scan.tracks.find(event.track.value_or(packet.sequence->track));
    if (track == nullptr) {
        ++scan.withoutTrack;
        return;
    }
    scan.slices.add(track->number, moment.ns, event.type == TrackEvent::kEnd);
    if (event.type == TrackEvent::kEnd)
        takeSaid(packet, track->number, scan);
}

} // namespace

void SlicePairs::add(std::uint32_t track, std::int64_t ns, bool isEnd) {
    if (m_held >= kMost) {
        ++m_leftOut;
        return;
    }
    if (track >= m_tracks.size())
        m_tracks.resize(track + 1);
    m_tracks[track].push_back(ns * 2 + (isEnd ? 1 : 0));
    ++m_held;
}

void SlicePairs::say(std::uint32_t track, Members arguments) {
    if (m_leftOut == 0)
        m_said.emplace(std::pair(track, m_tracks[track].size() - 1), std::move(arguments));
}

void SlicePairs::finish() {
    auto said = std::exchange(m_said, {});
    for (std::uint32_t number = 0; number < m_tracks.size(); ++number) {
        Events events = std::exchange(m_tracks[number], {});
        const bool isInOrder = std::ranges::is_sorted(events, isEarlier);
        // Without its last events nobody knows what a track out of order means.
        if (!isInOrder && m_leftOut > 0)
            continue;
        const auto runs = isInOrder ? std::nullopt : pairedByRuns(events);
        const Ends ends = runs ? *runs : pairedAsStack(events);
        m_unpaired += static_cast<std::int64_t>(events.size());
        Events& lengths = m_tracks[number];
        for (const std::int64_t event : events) {
            if (isEnd(event))
                continue;
            const std::size_t begin = lengths.size();
            const std::uint32_t end = ends[begin];
            lengths.push_back(end == kNoEnd ? kOpen : (events[end] >> 1) - (event >> 1));
            m_unpaired -= end == kNoEnd ? 0 : 2;
            if (const auto own = said.find({number, end}); own != said.end())
                m_said.emplace(std::pair(number, begin), std::move(own->second));
        }
    }
}

std::optional<std::int64_t> SlicePairs::next(std::uint32_t track, std::size_t& at) const {
    if (track >= m_tracks.size() || at >= m_tracks[track].size() || m_tracks[track][at++] == kOpen)
        return std::nullopt;
    return m_tracks[track][at - 1];
}

const Members* SlicePairs::said(std::uint32_t track, std::size_t begin) const {
    const auto found = m_said.find({track, begin});
    return found == m_said.end() ? nullptr : &found->second;
}

PerfettoTrack* Tracks::find(std::uint64_t uuid) {
    const auto found = m_tracks.find(uuid);
    if (found != m_tracks.end())
        return &found->second;
    if (m_tracks.size() >= kMost)
        return nullptr;
    PerfettoTrack& track = m_tracks[uuid];
    track.number = static_cast<std::uint32_t>(m_tracks.size() - 1);
    track.thread = std::to_string(uuid);
    return &track;
}

void Tracks::take(std::string_view descriptor) {
    std::uint64_t uuid = 0;
    std::string_view name, staticName, atraceName, ownName, process, thread;
    std::optional<std::string_view> counter;
    readFields(descriptor,
        {{1, &uuid}, {2, &name}, {3, &process}, {4, &thread}, {8, &counter}, {10, &staticName},
            {13, &atraceName}});
    PerfettoTrack* const track = find(uuid);
    if (track == nullptr)
        return;
    readFields(descriptor, {{5, &track->parent}});
    readFields(process, {{1, &track->pid}, {6, &ownName}});
    readFields(thread, {{1, &track->pid}, {2, &track->tid}, {5, &ownName}});
    constexpr std::size_t kLongestName = 512;
    for (const std::string_view one : {name, staticName, atraceName, ownName}) {
        if (track->name.empty())
            track->name = one.substr(0, kLongestName);
    }
    if (counter)
        takeCounter(*counter, *track);
}

std::optional<std::int64_t> Tracks::pidOf(const PerfettoTrack& track) const {
    constexpr int kMostParents = 32;
    const PerfettoTrack* at = &track;
    for (int i = 0; i < kMostParents && !at->pid; ++i) {
        const auto parent = m_tracks.find(at->parent);
        if (at->parent == 0 || parent == m_tracks.end())
            return std::nullopt;
        at = &parent->second;
    }
    return at->pid;
}

void Tracks::finish() {
    using Entry = std::pair<const std::uint64_t, PerfettoTrack>;
    std::vector<Entry*> inOrder = vectorOf(m_tracks, [](Entry& entry) { return &entry; });
    std::ranges::sort(inOrder, {}, [](const Entry* entry) { return entry->second.number; });
    for (Entry* const entry : inOrder) {
        PerfettoTrack& track = entry->second;
        const std::int64_t pid = pidOf(track).value_or(0);
        track.process = std::to_string(pid);
        const std::string uuid = std::to_string(entry->first);
        std::string name = track.name.empty() ? "track " + uuid : track.name;
        // Tracks of one name are several, and what is on them overlaps.
        if (!track.tid && !m_names.emplace(pid, name).second)
            name += " (" + uuid + ")";
        track.thread = track.tid ? std::to_string(*track.tid) : inQuotes(name);
    }
}

Result<std::shared_ptr<TraceScan>> scanTrace(const SourceTree& tree, const std::string& path,
    std::string_view phase, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto stream, tree.open(path));
    const auto goesOn = [&, size = tree.sizeOf(path)](std::uint64_t consumed) {
        return !progress || progress({std::string(phase), consumed / 2, size});
    };
    PacketReader reader(*stream, goesOn);
    auto scan = std::make_shared<TraceScan>();
    Packet packet;
    while (reader.next(packet))
        scanPacket(packet, *scan);
    if (reader.wire().isCancelled())
        return cancelled();
    scan->slices.finish();
    scan->tracks.finish();
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

EventMaker::EventMaker(std::unique_ptr<ByteStream> stream, WireStream::GoesOn goesOn,
    std::shared_ptr<TraceScan> scan, EventWriter::Take take)
    : m_stream(std::move(stream))
    , m_scan(std::move(scan))
    , m_packets(*m_stream, std::move(goesOn))
    , m_writer(std::move(take))
    , m_stages(m_writer, m_scan->waits) { }

void EventMaker::nameThreads() {
    for (const auto& [uuid, track] : m_scan->tracks.all()) {
        if (!track.tid || track.name.empty())
            continue;
        m_members.clear();
        m_members.add("name", inQuotes(track.name));
        m_writer.write({'M', {}, "thread_name", track.process, track.thread, 0, {}, &m_members});
    }
}

bool EventMaker::next() {
    if (!std::exchange(m_hasBegun, true))
        nameThreads();
    Packet packet;
    if (!m_packets.next(packet)) {
        m_scan->findings = m_packets.findings();
        return false;
    }
    if (!packet.event.empty())
        addTrackEvent(packet);
    if (!packet.stage.empty())
        m_stages.addStage(packet);
    if (!packet.counters.empty())
        m_stages.addCounters(packet);
    return true;
}

void EventMaker::readArguments(const Sequence& sequence) {
    m_members.clear();
    for (const std::string_view annotation : m_event.annotations)
        m_members.addAnnotation(annotation, sequence, kLongestArguments);
    std::optional<std::uint64_t> stage; // submitted to a GPU by it
    readFields(m_event.correlation, {{1, &stage}});
    if (stage && m_members.text().find("\"correlation\":") == std::string::npos)
        m_members.add("correlation", std::to_string(*stage));
}

void EventMaker::addTrackEvent(const Packet& packet) {
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
        const auto length = m_scan->slices.next(track->number, m_next[track->number]);
        if (length)
            addOnTrack('X', packet, *track, length);
    } else if (m_event.phase == 'X') {
        addOnTrack('X', packet, *track, m_event.durationUs * 1000);
    } else if (m_event.type == TrackEvent::kInstant) {
        addOnTrack('i', packet, *track, {});
    } else if (m_event.phase != '\0' && kSimple.find(m_event.phase) != kSimple.npos) {
        addOnTrack(m_event.phase, packet, *track, {});
    }
}

void EventMaker::addOnTrack(char phase, const Packet& packet, const PerfettoTrack& track,
    std::optional<std::int64_t> duration) {
    const std::string* const told
        = m_event.nameNumber ? packet.sequence->text(Told::Names, *m_event.nameNumber) : nullptr;
    m_packets.findings().withoutName += m_event.name || told != nullptr ? 0 : 1;
    const std::string_view name = m_event.name ? *m_event.name
        : told != nullptr                      ? std::string_view(*told)
                                               : std::string_view("?");
    readArguments(*packet.sequence);
    const Members* const said = m_event.type == TrackEvent::kBegin
        ? m_scan->slices.said(track.number, m_next[track.number] - 1)
        : nullptr;
    if (said != nullptr)
        m_members.add(*said);
    const std::string category = categoryOf(m_event, *packet.sequence);
    const std::string id = !m_event.id ? std::string()
        : m_event.scope.empty()
        ? std::to_string(*m_event.id)
        : inQuotes(std::to_string(*m_event.id) + "/" + std::string(m_event.scope));
    m_writer.write({phase, category.empty() ? guessedCategory(m_members.text(), name) : category,
        name, track.process, track.thread, *packet.ns, duration, &m_members, id});
    for (const auto* flows : {&m_event.flows, &m_event.lastFlows}) {
        const char arrow = flows == &m_event.flows ? 's' : 'f';
        for (const std::uint64_t flow : *flows)
            m_writer.write({arrow, "flow", "flow", track.process, track.thread, *packet.ns, {},
                nullptr, std::to_string(flow)});
    }
}

void EventMaker::addCounters(const Packet& packet) {
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

void EventMaker::addCounter(Sequence& sequence, std::uint64_t uuid, std::int64_t ns, double value) {
    const PerfettoTrack* const track = m_scan->tracks.find(uuid);
    constexpr std::size_t kMostSums = 100'000;
    const bool isFull = sequence.counters.size() >= kMostSums && !sequence.counters.contains(uuid);
    if (track == nullptr || track->isThreadTime || (track->isIncremental && isFull))
        return;
    if (track->isIncremental)
        value = sequence.counters[uuid] += value;
    const std::string_view name
        = track->name.empty() ? std::string_view("counter") : std::string_view(track->name);
    m_members.clear();
    m_members.add(name, realJson(value * track->multiplier));
    if (!track->unit.empty())
        m_members.add("unit", inQuotes(track->unit));
    m_writer.write({'C', {}, name, track->process, track->thread, ns, {}, &m_members});
}

} // namespace trainscope::importers::perfetto
