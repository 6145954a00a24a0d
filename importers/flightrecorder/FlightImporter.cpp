// Dumps of PyTorch's flight recorder, one per rank, as sources: each collective is a
// span from its start (its scheduling where it never started) to its end, on a track per process
// group. Open ones reach to the last time in the dump. Clock: the host's, unix
// nanoseconds.

#include "importers/common/Formats.h"

#include "core/layout/ProcessGroup.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/NodeValues.h"
#include "importers/common/Source.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::importers::flightrecorder {
namespace {

// PyTorch's flight recorder: the last collectives of one process, as it dumps them in JSON
// (torch/csrc/distributed/c10d/FlightRecorder.hpp, version 2.x). Times are unix nanoseconds of the
// host. Pickle, its other form, is a program and not read.

struct FlightEntry {
    std::string name; // "nccl:all_reduce"
    std::string collective; // "all_reduce"
    std::string group; // its name
    std::string state; // "scheduled", "started", "completed"
    std::int64_t sequence = -1; // among collectives of the group; a message's among these
    bool isMessage = false; // point to point
    TimeNs created;
    std::optional<TimeNs> started;
    std::optional<TimeNs> completed;
    std::optional<std::int64_t> durationNs;
    std::string inputSizes; // JSON
    std::string outputSizes;
    std::string dataType; // the first input's
    std::int64_t elements = 0; // in all inputs
};

struct FlightHeader {
    std::string version;
    std::optional<int> rank;
    std::vector<layout::ProcessGroup> groups;
};

struct FlightDump {
    FlightHeader header;
    std::uint64_t bytes = 0;
    std::int64_t broken = 0;
    std::string problem; // the reason of an early end
};

constexpr std::int64_t kMostFlightRanks = 1 << 20;

std::optional<TimeNs> timeIn(const NodeJson& object, const char* key) {
    const auto ns = jsonInteger(jsonMember(object, key));
    return ns && *ns > 0 ? std::optional(TimeNs{*ns}) : std::nullopt;
}

std::int64_t elementsOf(const NodeJson* sizes) {
    std::int64_t all = 0;
    if (sizes == nullptr || !sizes->is_array())
        return 0;
    for (const NodeJson& dims : *sizes) {
        std::int64_t count = 1;
        for (const NodeJson& one : dims) {
            const auto size = jsonInteger(&one).value_or(0);
            constexpr std::int64_t kMost = std::int64_t{1} << 48;
            count = size >= 0 && size < kMost && (size == 0 || count < kMost / size) ? count * size
                                                                                     : 0;
        }
        all = std::min(all, std::int64_t{1} << 50) + count;
    }
    return all;
}

std::string firstText(const NodeJson* list) {
    return list != nullptr && list->is_array() && !list->empty() ? jsonText(&(*list)[0])
                                                                 : std::string();
}

std::optional<FlightEntry> entryFrom(std::string_view text) {
    const NodeJson object = parsedJson(text);
    const auto created = object.is_object() ? timeIn(object, "time_created_ns") : std::nullopt;
    if (!created)
        return std::nullopt;
    FlightEntry entry;
    entry.created = *created;
    entry.name = jsonText(jsonMember(object, "profiling_name"));
    entry.collective = entry.name.substr(entry.name.find(':') + 1);
    // Messages have their direction and peer in the name: "nccl:send 3->5".
    entry.collective = entry.collective.substr(0, entry.collective.find(' '));
    entry.group = firstText(jsonMember(object, "process_group"));
    if (entry.group.empty())
        if (const auto id = jsonInteger(jsonMember(object, "pg_id")))
            entry.group = std::to_string(*id);
    entry.state = jsonText(jsonMember(object, "state"));
    const NodeJson* message = jsonMember(object, "is_p2p");
    entry.isMessage = message != nullptr && message->is_boolean() && message->get<bool>();
    for (const char* key : {entry.isMessage ? "p2p_seq_id" : "collective_seq_id", "seq_id"}) {
        if (entry.sequence < 0)
            entry.sequence = jsonInteger(jsonMember(object, key)).value_or(-1);
    }
    entry.started = timeIn(object, "time_discovered_started_ns");
    entry.completed = timeIn(object, "time_discovered_completed_ns");
    const NodeJson* duration = jsonMember(object, "duration_ms");
    constexpr double kLongestMs = 1e12;
    if (duration != nullptr && duration->is_number() && duration->get<double>() >= 0.0
        && duration->get<double>() < kLongestMs)
        entry.durationNs = static_cast<std::int64_t>(duration->get<double>() * 1e6);
    const NodeJson* sizes = jsonMember(object, "input_sizes");
    entry.inputSizes = sizes == nullptr ? "" : dumpedJson(*sizes);
    entry.elements = elementsOf(sizes);
    if (const NodeJson* out = jsonMember(object, "output_sizes"))
        entry.outputSizes = dumpedJson(*out);
    entry.dataType = firstText(jsonMember(object, "input_dtypes"));
    return entry;
}

void takeFlightHeader(std::string_view text, FlightHeader& header) {
    const NodeJson object = parsedJson(text);
    if (!object.is_object())
        return;
    header.version = jsonText(jsonMember(object, "version"));
    const auto rank = jsonInteger(jsonMember(object, "rank"));
    if (rank && *rank >= 0 && *rank < kMostFlightRanks)
        header.rank = static_cast<int>(*rank);
    const NodeJson* groups = jsonMember(object, "pg_config");
    if (groups == nullptr || !groups->is_object())
        return;
    for (const auto& [key, group] : groups->items()) {
        const std::string name = jsonText(jsonMember(group, "name"));
        auto ranks = jsonRanks(jsonMember(group, "ranks"));
        if (!ranks.empty())
            header.groups.push_back(
                {name.empty() ? key : name, jsonText(jsonMember(group, "desc")), std::move(ranks)});
    }
}

bool isFlightDump(std::string_view head) {
    const auto has
        = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    return head.find_first_not_of(" \t\r\n") == head.find('{')
        && (has("\"pg_config\"") || has("\"entries\""))
        && (has("\"time_created_ns\"") || has("\"collective_seq_id\"") || has("\"pg_status\""));
}

// Entries in the order of the file; two passes over it, since what groups are may stand behind.
Result<FlightDump> readFlightDump(const SourceTree& tree, const std::string& path,
    const std::function<Status(const FlightEntry&, const FlightHeader&)>& entry,
    const Progress& progress) {
    FlightDump dump;
    std::int64_t entries = 0;
    for (const bool isFirstPass : {true, false}) {
        ASSIGN_OR_RETURN(const auto stream, tree.open(path));
        JsonPaths objects(*stream, {"entries"}, JsonPaths::Outside::Given);
        while (true) {
            const auto found = objects.next();
            if (!found.hasValue()) {
                dump.problem = found.error().message;
                if (isFirstPass)
                    takeFlightHeader(objects.outside() + "}", dump.header);
                break;
            }
            if (!found.value())
                break;
            const std::string_view text = found.value()->text;
            if (found.value()->path == JsonPaths::kOutside) {
                if (isFirstPass)
                    takeFlightHeader(text, dump.header);
                continue;
            }
            if (isFirstPass)
                continue;
            const auto one = entryFrom(text);
            dump.broken += one ? 0 : 1;
            entries += one ? 1 : 0;
            if (one)
                RETURN_IF_ERROR(entry(*one, dump.header));
            constexpr std::int64_t kEvery = 256;
            if (entries % kEvery == 0 && progress
                && !progress(
                    {"Reading the flight recorder", stream->bytesConsumed(), tree.sizeOf(path)}))
                return cancelled();
        }
        dump.bytes = objects.bytes();
    }
    if (entries == 0)
        return Error{ErrorCode::Unrecognised,
            "There is no collective in this dump; PyTorch's flight recorder has them as "
            "\"entries\". Set TORCH_NCCL_TRACE_BUFFER_SIZE and dump again.",
            tree.displayPath(path)};
    return dump;
}

constexpr Confidence kSureOfDump = 91;

ImportUnit unitOf(const SourceTree& tree, const SourceFile& source) {
    ImportUnit unit = unitOfFile(source);
    unit.clock = ClockKind::Utc;
    unit.rank = numberAtEnd(traceStem(source.path));
    const auto ignore = [](const FlightEntry&, const FlightHeader&) { return Status(); };
    if (const auto dump = readFlightDump(tree, source.path, ignore, {}); dump.hasValue()) {
        if (dump.value().header.rank)
            unit.rank = dump.value().header.rank;
        for (const auto& group : dump.value().header.groups)
            unit.worldSize = std::max(unit.worldSize, group.ranks.back() + 1);
    }
    unit.summary = fmt::format("flight recorder, rank {}", unit.rank.value_or(0));
    return unit;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<ImportUnit> units;
    for (const SourceFile& source : mine)
        units.push_back(unitOf(tree, source));
    nameByFolders(tree, units);
    return units;
}

class DumpImport {
public:
    DumpImport(const ImportUnit& unit, Sink& sink)
        : m_unit(unit)
        , m_sink(sink) { }

    Status take(const FlightEntry& entry, const FlightHeader& header) {
        ++m_report.rows;
        ++m_report.counts["state: " + (entry.state.empty() ? "not said" : entry.state)];
        for (const auto& time : {std::optional(entry.created), entry.started, entry.completed}) {
            if (time)
                m_last = std::max(m_last, *time);
        }
        Held held;
        ASSIGN_OR_RETURN(
            held.span.name, m_sink.intern(entry.name.empty() ? "collective" : entry.name));
        ASSIGN_OR_RETURN(held.span.detail, m_sink.intern(detailOf(entry, header)));
        held.span.kind = SpanKind::Other;
        held.span.start = entry.started.value_or(entry.created);
        if (entry.completed && *entry.completed >= held.span.start)
            held.span.duration = *entry.completed - held.span.start;
        else if (entry.durationNs)
            held.span.duration = {*entry.durationNs};
        else
            held.isOpen = entry.state != "completed";
        m_tracks[entry.group].push_back(held);
        return {};
    }

    Result<ImportReport> finish(const FlightDump& dump) {
        Run run;
        run.name = m_unit.runName;
        run.worldSize = m_unit.worldSize;
        if (!dump.problem.empty())
            run.status = RunStatus::Partial;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        for (auto& [group, held] : m_tracks)
            RETURN_IF_ERROR(writeTrack(id, group, held, dump.header));
        m_report.importer = "flightrecorder 1";
        m_report.bytes = dump.bytes;
        m_report.skipped = dump.broken;
        m_report.ranksExpected = m_unit.worldSize;
        m_report.ranksFound = {m_unit.rank.value_or(0)};
        m_report.facts["version"] = dump.header.version;
        m_report.facts["clock"] = "UTC, the host's unix nanoseconds";
        if (auto text = layout::processGroupsText(dump.header.groups); !text.empty())
            m_report.facts[std::string(layout::kProcessGroupsFact)] = std::move(text);
        if (dump.broken > 0)
            m_report.lost(m_unit.path, 0,
                text::counted(dump.broken, "entry", "entries") + " without a time was left out");
        if (!dump.problem.empty())
            m_report.lost(m_unit.path, 0, dump.problem);
        return std::move(m_report);
    }

private:
    struct Held {
        Span span;
        bool isOpen = false; // ends with the dump
    };

    // As PyTorch's traces list them: each entry repeats what the header says once.
    static std::string ranksText(const std::vector<int>& ranks) {
        constexpr std::size_t kMostListed = 30;
        const bool isElided = ranks.size() > kMostListed;
        return fmt::format("[{}{}]",
            fmt::join(ranks.begin(), isElided ? ranks.begin() + kMostListed : ranks.end(), ", "),
            isElided ? ", ..." : "");
    }

    static std::string detailOf(const FlightEntry& entry, const FlightHeader& header) {
        NodeJson detail{{"State", entry.state}, {"Collective name", entry.collective},
            {"Process Group Name", entry.group}, {"Seq", entry.sequence},
            {"In msg nelems", entry.elements}, {"dtype", entry.dataType}};
        if (entry.isMessage)
            detail["Point to point"] = true;
        if (!entry.inputSizes.empty())
            detail["Input Dims"] = parsedJson(entry.inputSizes);
        if (!entry.outputSizes.empty())
            detail["Output Dims"] = parsedJson(entry.outputSizes);
        for (const auto& group : header.groups) {
            if (group.name != entry.group)
                continue;
            detail["Process Group Description"] = group.description;
            detail["Group size"] = group.ranks.size();
            detail["Process Group Ranks"] = ranksText(group.ranks);
        }
        return dumpedJson(detail);
    }

    Status writeTrack(
        RunId run, const std::string& group, std::vector<Held>& held, const FlightHeader& header) {
        TrackDescription track;
        track.rank = m_unit.rank.value_or(0);
        track.process = "flight recorder";
        track.thread = group;
        const auto known = std::find_if(header.groups.begin(), header.groups.end(),
            [&group](const auto& one) { return one.name == group; });
        track.name = fmt::format("flight recorder, group {}{}", group,
            known == header.groups.end() || known->description.empty()
                ? ""
                : " (" + known->description + ")");
        std::vector<Span> spans;
        for (Held& one : held) {
            if (one.isOpen)
                one.span.duration = m_last - one.span.start;
            spans.push_back(one.span);
        }
        ASSIGN_OR_RETURN(const auto id, m_sink.track(run, track));
        m_report.spans += static_cast<std::int64_t>(spans.size());
        return m_sink.spans(id, spans);
    }

    const ImportUnit& m_unit;
    Sink& m_sink;
    ImportReport m_report;
    TimeNs m_last;
    std::map<std::string, std::vector<Held>> m_tracks; // by group
};

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return isFlightDump(head) ? kSureOfDump : 0;
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    DumpImport into(unit, sink);
    ASSIGN_OR_RETURN(const auto dump,
        readFlightDump(
            tree, unit.path,
            [&into](const FlightEntry& entry, const FlightHeader& header) {
                return into.take(entry, header);
            },
            progress));
    return into.finish(dump);
}

} // namespace

constinit const Importer kImporter{
    {"flightrecorder", "flight recorder dump",
        "JSON dumps of PyTorch's flight recorder, one per rank", Joins::OwnRun,
        LaunchSettings::Beside, "\"collective_seq_id\"", "flight recorder dump",
        "flight recorder dumps"},
    sniff, plan, import};

} // namespace trainscope::importers::flightrecorder
