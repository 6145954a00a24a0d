#include "app/cli/output/ChromeEvents.h"

#include "app/cli/text/Decimals.h"
#include "app/cli/text/Json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

namespace trainscope::cli {

namespace {

// The format's times are microseconds.
void appendMicroseconds(std::string& line, DurationNs time) {
    appendDecimals(line, time.ns, 3);
}

} // namespace

std::string jsonString(std::string_view text) {
    return jsonText(Json(std::string(text)));
}

bool isJsonObject(std::string_view text) {
    return text.starts_with('{') && Json::accept(text);
}

ChromeEvents::ChromeEvents(TextFile& file, TimeNs zero)
    : m_file(file)
    , m_zero(zero) { }

void ChromeEvents::begin() {
    m_file.write(fmt::format("{{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":{},"
                             "\"traceEvents\":[\n",
        m_zero.ns));
}

Status ChromeEvents::end() {
    m_file.write("\n]}\n");
    return m_file.close();
}

std::string& ChromeEvents::next() {
    m_line = m_count++ == 0 ? "" : ",\n";
    return m_line;
}

void ChromeEvents::finish() {
    m_file.write(m_line);
}

void ChromeEvents::process(int pid, std::string_view name) {
    fmt::format_to(std::back_inserter(next()),
        R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", pid,
        jsonString(name));
    finish();
    fmt::format_to(std::back_inserter(next()),
        R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
        pid, ++m_processes);
    finish();
}

int ChromeEvents::thread(int pid, std::string_view name) {
    const int tid = ++m_threads;
    fmt::format_to(std::back_inserter(next()),
        R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", pid, tid,
        jsonString(name));
    finish();
    fmt::format_to(std::back_inserter(next()),
        R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
        pid, tid, tid);
    finish();
    return tid;
}

void ChromeEvents::span(int pid, int tid, TimeRange range, std::string_view name,
    std::string_view category, std::string_view arguments) {
    std::string& line = next();
    fmt::format_to(std::back_inserter(line),
        R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":)", name, category, pid, tid);
    appendMicroseconds(line, range.begin - m_zero);
    line += ",\"dur\":";
    appendMicroseconds(line, range.length());
    line += ",\"args\":";
    line += arguments;
    line += '}';
    finish();
}

void ChromeEvents::flow(FlowEnd end, int pid, int tid, TimeNs at, std::string_view id) {
    std::string& line = next();
    fmt::format_to(std::back_inserter(line),
        R"({{"ph":"{}","name":"launch","cat":"launch","id":"{}","pid":{},"tid":{},{}"ts":)",
        end == FlowEnd::Leaves ? 's' : 'f', id, pid, tid,
        end == FlowEnd::Arrives ? R"("bp":"e",)" : "");
    appendMicroseconds(line, at - m_zero);
    line += '}';
    finish();
}

void ChromeEvents::counter(std::string_view head, TimeNs at, double value) {
    std::string& line = next();
    line += head;
    fmt::format_to(std::back_inserter(line), "{}}},\"ts\":", value);
    appendMicroseconds(line, at - m_zero);
    line += '}';
    finish();
}

SpanThread::SpanThread(ChromeEvents& events, int pid, std::string name)
    : m_events(events)
    , m_pid(pid)
    , m_name(std::move(name)) { }

SpanThread::Lane& SpanThread::laneFor(TimeRange range) {
    for (Lane& lane : m_lanes) {
        while (!lane.ends.empty() && lane.ends.back() <= range.begin.ns)
            lane.ends.pop_back();
        if (lane.ends.empty() || lane.ends.back() >= range.end.ns)
            return lane;
    }
    const std::string name
        = m_lanes.empty() ? m_name : fmt::format("{} ({})", m_name, m_lanes.size() + 1);
    return m_lanes.emplace_back(Lane{m_events.thread(m_pid, name), {}});
}

int SpanThread::add(
    TimeRange range, std::string_view name, std::string_view category, std::string_view arguments) {
    Lane& lane = laneFor(range);
    lane.ends.push_back(range.end.ns);
    m_events.span(m_pid, lane.tid, range, name, category, arguments);
    return lane.tid;
}

CounterTrack::CounterTrack(
    ChromeEvents& events, int pid, std::string_view name, std::string_view unit)
    : m_events(events) {
    const bool isPlain = unit.empty() || unit == "1";
    m_head = fmt::format(R"({{"ph":"C","name":{},"pid":{},"args":{{{}:)",
        jsonString(isPlain ? std::string(name) : fmt::format("{} ({})", name, unit)), pid,
        jsonString(isPlain ? "value" : unit));
}

void CounterTrack::add(TimeNs at, double value) const {
    if (std::isfinite(value))
        m_events.counter(m_head, at, value);
}

} // namespace trainscope::cli
