#pragma once
// The events of the Trace Event Format, one to a line, and the threads and counters they stand on.

#include "app/cli/text/TextFile.h"
#include "core/model/Time.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::cli {

enum class FlowEnd { Leaves, Arrives };

// "\"text\"", with what JSON wants escaped; bytes that are no UTF-8 are replaced.
std::string jsonString(std::string_view text);
bool isJsonObject(std::string_view text);

class ChromeEvents {
public:
    // `zero`: what the time stamps count from.
    ChromeEvents(TextFile& file, TimeNs zero);

    void begin();
    Status end(); // closes the file
    [[nodiscard]] std::int64_t count() const { return m_count; }

    void process(int pid, std::string_view name); // in the order they are to be shown
    int thread(int pid, std::string_view name); // its tid
    // `name` and `arguments` are JSON.
    void span(int pid, int tid, TimeRange range, std::string_view name, std::string_view category,
        std::string_view arguments);
    void flow(FlowEnd end, int pid, int tid, TimeNs at, std::string_view id);
    // `head` is what all values of a counter have in common (CounterTrack).
    void counter(std::string_view head, TimeNs at, double value);

private:
    std::string& next(); // the line to fill
    void finish();

    TextFile& m_file;
    TimeNs m_zero;
    std::string m_line;
    std::int64_t m_count = 0;
    int m_threads = 0;
    int m_processes = 0;
};

// Spans of one track in order of start. The format nests: what overlaps the spans before it without
// lying inside the last one goes to a further thread of the same name.
class SpanThread {
public:
    SpanThread(ChromeEvents& events, int pid, std::string name);

    [[nodiscard]] int process() const { return m_pid; }
    // The thread that the span is on.
    int add(TimeRange range, std::string_view name, std::string_view category,
        std::string_view arguments);

private:
    struct Lane {
        int tid = 0;
        std::vector<std::int64_t> ends; // of the spans that are open, outermost first
    };
    Lane& laneFor(TimeRange range);

    ChromeEvents& m_events;
    int m_pid;
    std::string m_name;
    std::vector<Lane> m_lanes;
};

// The values of one series over time; those that are not finite are left out.
class CounterTrack {
public:
    CounterTrack(ChromeEvents& events, int pid, std::string_view name, std::string_view unit);
    void add(TimeNs at, double value) const;

private:
    ChromeEvents& m_events;
    std::string m_head;
};

} // namespace trainscope::cli
