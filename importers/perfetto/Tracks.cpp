#include "importers/perfetto/Tracks.h"

#include "importers/common/MessageFields.h"
#include "importers/perfetto/Annotations.h"

#include <algorithm>
#include <vector>

namespace trainscope::importers::perfetto {

namespace {

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

} // namespace

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
    std::vector<Entry*> inOrder;
    for (Entry& entry : m_tracks)
        inOrder.push_back(&entry);
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

} // namespace trainscope::importers::perfetto
