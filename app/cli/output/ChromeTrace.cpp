// A run in the Trace Event Format, which Perfetto and chrome://tracing open: all ranks in one file
// on the reference clock (core/analysis/traces/RankClocks.h), and telemetry as counter tracks.
//
// Times are microseconds since the run's start with three decimals; baseTimeNanoseconds says that
// start, as Kineto does. A rank has two processes, its host and its GPU; nodes, switches and the
// run itself have one each, behind them. Spans that overlap without one containing the other stand
// on threads of their own, since the format has no overlap. A launch is joined by a flow to the
// first thing that it launched. Counters are rates; missing samples have no event, as the format
// knows none.
#include "app/cli/output/RunExport.h"

#include "app/cli/text/Json.h"
#include "app/cli/text/TextFile.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/SpanFacts.h"
#include "core/model/Try.h"
#include "core/store/samples/CounterRate.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>
#include <unordered_map>

namespace trainscope::cli {
namespace {

// The events of the Trace Event Format, one to a line, and the threads and counters they stand on.

enum class FlowEnd { Leaves, Arrives };

constexpr int kOfMicroseconds = 3; // decimals: the format's times are microseconds

// "\"text\"", with what JSON wants escaped; bytes that are no UTF-8 are replaced.
std::string jsonString(std::string_view text) {
    return jsonText(Json(std::string(text)));
}

bool isJsonObject(std::string_view text) {
    return text.starts_with('{') && Json::accept(text);
}

class ChromeEvents {
public:
    // `zero`: what the time stamps count from.
    ChromeEvents(TextFile& file, TimeNs zero)
        : m_file(file)
        , m_zero(zero) { }

    [[nodiscard]] std::int64_t count() const { return m_count; }

    void begin() {
        m_file.write(fmt::format("{{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":{},"
                                 "\"traceEvents\":[\n",
            m_zero.ns));
    }

    // Closes the file.
    Status end() {
        m_file.write("\n]}\n");
        return m_file.close();
    }

    // In the order they are to be shown.
    void process(int pid, std::string_view name) {
        describe("process", pid, 0, name, ++m_processes);
    }

    // Returns its tid.
    int thread(int pid, std::string_view name) {
        const int tid = ++m_threads;
        describe("thread", pid, tid, name, tid);
        return tid;
    }

    // `name` and `arguments` are JSON.
    void span(int pid, int tid, TimeRange range, std::string_view name, std::string_view category,
        std::string_view arguments) {
        std::string& line = next();
        fmt::format_to(std::back_inserter(line),
            R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":)", name, category, pid, tid);
        appendDecimals(line, (range.begin - m_zero).ns, kOfMicroseconds);
        line += ",\"dur\":";
        appendDecimals(line, range.length().ns, kOfMicroseconds);
        line += ",\"args\":";
        line += arguments;
        line += '}';
        finish();
    }

    void flow(FlowEnd end, int pid, int tid, TimeNs at, std::string_view id) {
        std::string& line = next();
        fmt::format_to(std::back_inserter(line),
            R"({{"ph":"{}","name":"launch","cat":"launch","id":"{}","pid":{},"tid":{},{}"ts":)",
            end == FlowEnd::Leaves ? 's' : 'f', id, pid, tid,
            end == FlowEnd::Arrives ? R"("bp":"e",)" : "");
        appendDecimals(line, (at - m_zero).ns, kOfMicroseconds);
        line += '}';
        finish();
    }

    // `head` is of counterHead(). A value that is not finite is left out.
    void counter(std::string_view head, TimeNs at, double value) {
        if (!std::isfinite(value))
            return;
        std::string& line = next();
        line += head;
        fmt::format_to(std::back_inserter(line), "{}}},\"ts\":", value);
        appendDecimals(line, (at - m_zero).ns, kOfMicroseconds);
        line += '}';
        finish();
    }

private:
    // Name and place of a process or thread.
    void describe(std::string_view kind, int pid, int tid, std::string_view name, int place) {
        constexpr const char* kMetadata
            = R"({{"ph":"M","name":"{}_{}","pid":{},"tid":{},"args":{{"{}":{}}}}})";
        next() += fmt::format(kMetadata, kind, "name", pid, tid, "name", jsonString(name));
        finish();
        next() += fmt::format(kMetadata, kind, "sort_index", pid, tid, "sort_index", place);
        finish();
    }

    // The line to fill.
    std::string& next() {
        m_line = m_count++ == 0 ? "" : ",\n";
        return m_line;
    }

    void finish() { m_file.write(m_line); }

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
    SpanThread(ChromeEvents& events, int pid, std::string name)
        : m_events(events)
        , m_pid(pid)
        , m_name(std::move(name)) { }

    [[nodiscard]] int process() const { return m_pid; }

    // Returns the thread that the span is on.
    int add(TimeRange range, std::string_view name, std::string_view category,
        std::string_view arguments) {
        Lane& lane = laneFor(range);
        lane.ends.push_back(range.end.ns);
        m_events.span(m_pid, lane.tid, range, name, category, arguments);
        return lane.tid;
    }

private:
    struct Lane {
        int tid = 0;
        std::vector<std::int64_t> ends; // ends of the open spans, outermost first
    };

    Lane& laneFor(TimeRange range) {
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

    ChromeEvents& m_events;
    int m_pid;
    std::string m_name;
    std::vector<Lane> m_lanes;
};

// The beginning that all values of a counter have in common.
std::string counterHead(int pid, std::string_view name, std::string_view unit) {
    const bool isPlain = unit.empty() || unit == "1";
    return fmt::format(R"({{"ph":"C","name":{},"pid":{},"args":{{{}:)",
        jsonString(isPlain ? std::string(name) : fmt::format("{} ({})", name, unit)), pid,
        jsonString(isPlain ? "value" : unit));
}

// Processes of one kind stand together: hosts and GPUs by rank, then nodes, switches, the run.
constexpr int kProcessesPerRank = 2;

bool isOnDevice(const Track& track) {
    return track.description.kind == TrackKind::Stream
        || track.description.kind == TrackKind::StreamAnnotation;
}

// The launches of one rank that have both ends in the trace; each end is met once.
class Launches {
public:
    Launches() = default;
    Launches(std::vector<std::int64_t> calls, std::vector<std::int64_t> launched) {
        sortOut(calls);
        sortOut(launched);
        std::ranges::set_intersection(calls, launched, std::back_inserter(m_correlations));
        m_isMet.resize(m_correlations.size());
    }

    // Returns true for the first span of that correlation.
    bool meet(std::int64_t correlation) {
        const auto found
            = std::lower_bound(m_correlations.begin(), m_correlations.end(), correlation);
        if (found == m_correlations.end() || *found != correlation)
            return false;
        const auto place = static_cast<std::size_t>(found - m_correlations.begin());
        const bool wasMet = m_isMet[place];
        m_isMet[place] = true;
        return !wasMet;
    }
    void startAgain() { m_isMet.assign(m_correlations.size(), false); }

private:
    static void sortOut(std::vector<std::int64_t>& correlations) {
        std::sort(correlations.begin(), correlations.end());
        correlations.erase(
            std::unique(correlations.begin(), correlations.end()), correlations.end());
    }

    std::vector<std::int64_t> m_correlations;
    std::vector<bool> m_isMet;
};

class TraceWriter {
public:
    TraceWriter(const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing,
        TextFile& file)
        : m_store(store)
        , m_request(request)
        , m_keepGoing(keepGoing)
        , m_events(file, request.run.range.begin) { }

    Result<ChromeTraceResult> write() {
        RETURN_IF_ERROR(readRun());
        m_events.begin();
        RETURN_IF_ERROR(writeProcesses());
        RETURN_IF_ERROR(writeIterations());
        for (const auto& [rank, tracks] : m_tracksOf)
            RETURN_IF_ERROR(writeRank(rank, tracks));
        RETURN_IF_ERROR(writeCounters());
        RETURN_IF_ERROR(m_events.end());
        return ChromeTraceResult{m_events.count(), std::move(m_remarks)};
    }

private:
    Status readRun() {
        ASSIGN_OR_RETURN(const auto gpus, m_store.gpus(m_request.run.id));
        for (const Gpu& gpu : gpus)
            m_gpus[gpu.rank] = gpu;
        ASSIGN_OR_RETURN(m_metrics, chosenSeries(m_store, m_request));
        ASSIGN_OR_RETURN(auto tracks, m_store.tracks(m_request.run.id));
        for (Track& track : tracks)
            m_tracksOf[track.description.rank].push_back(std::move(track));
        if (const auto names = m_store.names(m_request.run.id); names.hasValue()) {
            for (const auto& [id, text] : names.value())
                m_names.emplace(id, jsonString(text));
        }
        const Progress goesOn = [this](const ProgressState&) { return m_keepGoing("clocks"); };
        ASSIGN_OR_RETURN(m_clocks, analysis::alignRanks({m_store, m_request.run, goesOn}));
        for (const auto& rank : m_clocks.unaligned)
            m_remarks.push_back(
                fmt::format("The clock of rank {} is left as it is. {}", rank.rank, rank.reason));
        return {};
    }

    // ------------------------------------------------------------------ processes

    [[nodiscard]] static int hostOf(int rank) { return kProcessesPerRank * rank + 1; }
    [[nodiscard]] static int deviceOf(int rank) { return kProcessesPerRank * rank + 2; }

    std::string gpuName(int rank) const {
        const auto gpu = m_gpus.find(rank);
        if (gpu == m_gpus.end())
            return fmt::format("rank {} · GPU", rank);
        return fmt::format(
            "rank {} · GPU {} of node {}", rank, gpu->second.local, gpu->second.node);
    }

    Status writeProcesses() {
        int largest = -1;
        for (const auto& [rank, tracks] : m_tracksOf) {
            largest = std::max(largest, rank);
            if (!std::all_of(tracks.begin(), tracks.end(), isOnDevice))
                m_events.process(hostOf(rank), fmt::format("rank {} · host", rank));
        }
        for (const auto& [rank, gpu] : m_gpus) {
            largest = std::max(largest, rank);
            m_events.process(deviceOf(rank), gpuName(rank));
        }
        for (const auto& [rank, tracks] : m_tracksOf) {
            if (!m_gpus.contains(rank))
                m_events.process(deviceOf(rank), gpuName(rank));
        }
        m_nextProcess = deviceOf(largest) + 1;
        m_runProcess = m_nextProcess++;
        m_events.process(m_runProcess, m_request.run.name);
        return {};
    }

    // The process that shows a subject's counters, made where it is none of a rank's.
    int processOf(const Subject& subject) {
        if (subject.kind == SubjectKind::Gpu)
            return deviceOf(subject.rank);
        if (subject.kind == SubjectKind::Run)
            return m_runProcess;
        const std::string name = subject.kind == SubjectKind::Switch
            ? "switch " + subject.device
            : fmt::format("node {}", subject.node);
        const auto [found, isNew] = m_others.try_emplace(name, m_nextProcess);
        if (isNew)
            m_events.process(m_nextProcess++, name);
        return found->second;
    }

    // ------------------------------------------------------------------ spans

    Status writeIterations() {
        ASSIGN_OR_RETURN(const auto iterations, m_store.iterations(m_request.run.id));
        std::map<int, SpanThread> threads; // by rank
        for (const Iteration& one : iterations) {
            const auto thread = threads.try_emplace(one.rank, m_events,
                one.rank < 0 ? m_runProcess : deviceOf(one.rank), std::string("iterations"));
            thread.first->second.add(clocked(one.rank, one.range),
                jsonString(fmt::format("iteration {}", one.index)), "iteration",
                one.warmup ? R"({"warmup":true})" : "{}");
        }
        return {};
    }

    TimeRange clocked(int rank, TimeRange range) const {
        const analysis::RankClock* clock = m_clocks.find(rank);
        return clock == nullptr ? range : clock->onReference(range);
    }

    Status writeRank(int rank, const std::vector<Track>& tracks) {
        ASSIGN_OR_RETURN(auto calls, correlationsOf(tracks, false));
        ASSIGN_OR_RETURN(auto launched, correlationsOf(tracks, true));
        Launches launches(std::move(calls), std::move(launched));
        std::set<int> devices;
        for (const Track& track : tracks) {
            if (isOnDevice(track))
                devices.insert(track.description.device);
        }
        m_hasSeveralDevices = devices.size() > 1;
        for (const bool onDevice : {false, true}) {
            launches.startAgain();
            for (const Track& track : tracks) {
                if (isOnDevice(track) == onDevice)
                    RETURN_IF_ERROR(writeTrack(rank, track, launches));
            }
        }
        return {};
    }

    // Correlations of runtime calls, or of work on devices.
    Result<std::vector<std::int64_t>> correlationsOf(
        const std::vector<Track>& tracks, bool ofDevices) const {
        std::vector<std::int64_t> found;
        for (const Track& track : tracks) {
            if (isOnDevice(track) != ofDevices
                || track.description.kind == TrackKind::StreamAnnotation)
                continue;
            RETURN_IF_ERROR(eachSpan(track, [&](const Span& span) {
                if (launchOf(span) != 0 && (ofDevices || span.kind == SpanKind::Runtime))
                    found.push_back(span.correlation);
            }));
        }
        return found;
    }

    Status writeTrack(int rank, const Track& track, Launches& launches) {
        const bool onDevice = isOnDevice(track);
        SpanThread thread(m_events, onDevice ? deviceOf(rank) : hostOf(rank), threadName(track));
        return eachSpan(track, [&](const Span& span) {
            const TimeRange range = clocked(rank, {span.start, span.start + span.duration});
            const int tid
                = thread.add(range, nameOf(span.name), toString(span.kind), detailOf(span));
            const bool canFlow = onDevice ? track.description.kind == TrackKind::Stream
                                          : span.kind == SpanKind::Runtime;
            if (canFlow && launchOf(span) != 0 && launches.meet(span.correlation))
                m_events.flow(onDevice ? FlowEnd::Arrives : FlowEnd::Leaves, thread.process(), tid,
                    range.begin, fmt::format("{}:{}", rank, span.correlation));
        });
    }

    // Streams of several devices are numbered alike.
    [[nodiscard]] std::string threadName(const Track& track) const {
        const auto& description = track.description;
        return m_hasSeveralDevices && isOnDevice(track)
            ? fmt::format("device {} · {}", description.device, description.name)
            : description.name;
    }

    template <typename Visit>
    Status eachSpan(const Track& track, Visit visit) const {
        bool stopped = false;
        const auto status = m_store.forEachSpan(track.id, kAllTime, [&](const auto& spans) {
            for (const Span& span : spans)
                visit(span);
            stopped = !m_keepGoing("spans");
            return !stopped;
        });
        return stopped ? Status(cancelled()) : status;
    }

    const std::string& nameOf(NameId id) const {
        static const std::string nameless = "\"\"";
        const auto found = m_names.find(id);
        return found == m_names.end() ? nameless : found->second;
    }

    // The arguments as the trace had them, with the correlation.
    std::string detailOf(const Span& span) const {
        std::string detail = "{}";
        if (span.detail.isValid()) {
            auto text = m_store.name(span.detail);
            if (text.hasValue() && isJsonObject(text.value()))
                detail = std::move(text).value();
        }
        if (launchOf(span) == 0)
            return detail;
        const bool isEmpty = detail.find_first_not_of(" \t\r\n{}") == std::string::npos;
        const auto end = detail.rfind('}');
        return fmt::format("{}{}\"correlation\":{}}}", isEmpty ? "{" : detail.substr(0, end),
            isEmpty ? "" : ",", span.correlation);
    }

    // ------------------------------------------------------------------ counters

    Status writeCounters() {
        for (const auto& [metric, group] : m_metrics) {
            for (const Series& series : group)
                RETURN_IF_ERROR(writeSeries(series));
        }
        return {};
    }

    Status writeSeries(const Series& series) {
        const auto& description = series.description;
        const bool isCounter = description.metric.kind == MetricKind::Counter;
        const std::string unit = description.metric.unit + (isCounter ? "/s" : "");
        std::string name = description.metric.label + (isCounter ? ", rate" : "");
        if (description.subject.kind == SubjectKind::Link)
            name += " · " + description.subject.device;
        const std::string head = counterHead(processOf(description.subject), name, unit);
        store::CounterRate rates{CounterRule(description)};
        std::vector<store::RateSample> settled;
        bool stopped = false;
        const auto status
            = m_store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
                  for (std::size_t i = 0; i < times.size(); ++i) {
                      if (!isCounter) {
                          m_events.counter(head, times[i], values[i]);
                          continue;
                      }
                      settled.clear();
                      rates.push(times[i].ns, values[i], settled);
                      for (const store::RateSample& sample : settled)
                          m_events.counter(head, {sample.time}, sample.rate);
                  }
                  stopped = !m_keepGoing(name);
                  return !stopped;
              });
        return stopped ? Status(cancelled()) : status;
    }

    const store::Store& m_store;
    const ExportRequest& m_request;
    const KeepGoing& m_keepGoing;
    ChromeEvents m_events;
    std::map<int, Gpu> m_gpus;
    std::map<int, std::vector<Track>> m_tracksOf; // by rank
    SeriesByMetric m_metrics;
    std::unordered_map<NameId, std::string> m_names; // as JSON strings
    analysis::RankClocks m_clocks;
    std::map<std::string, int> m_others; // processes of nodes and switches
    int m_nextProcess = 0;
    int m_runProcess = 0;
    bool m_hasSeveralDevices = false; // the rank that is written
    std::vector<std::string> m_remarks;
};

} // namespace

Result<ChromeTraceResult> exportChromeTrace(
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing) {
    ASSIGN_OR_RETURN(auto file, newFile(request));
    return TraceWriter(store, request, keepGoing, file).write();
}

} // namespace trainscope::cli
