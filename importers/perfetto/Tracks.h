#pragma once
// The tracks of a Perfetto trace (track_descriptor.proto): threads, processes, counters, and others
// that have a name and a parent. A descriptor is good for all of the file, wherever it stands.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace trainscope::importers::perfetto {

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

} // namespace trainscope::importers::perfetto
