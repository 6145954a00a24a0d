
#include "core/model/Gather.h"
#include "importers/common/NodeValues.h"
#include "importers/rocprof/TraceImport.h"
#include "importers/trace/TraceName.h"

namespace trainscope::importers::rocprof {
namespace {

// The recordings in a rocpd database, and what their small tables say: processes, threads, agents,
// host and rank.

inline constexpr std::string_view kStringTable = "rocpd_string"; // every recording has it

struct RocpdAgent {
    int device = -1; // among the GPUs; -1: a CPU
    std::string model;
};

// The small tables of one recording.
struct Recording {
    std::string suffix;
    std::map<std::int64_t, std::int64_t> processes; // by their number in the recording
    std::map<std::int64_t, std::int64_t> threads;
    std::map<std::int64_t, std::string> threadNames;
    std::map<std::int64_t, RocpdAgent> agents;
    int gpus = 0;
    LaunchedRank launched;
    std::string host;

    [[nodiscard]] std::int64_t process(std::int64_t number) const {
        return valueAt(processes, number, number);
    }
    [[nodiscard]] std::int64_t thread(std::int64_t number) const {
        return valueAt(threads, number, number);
    }
};

// Suffixes of the tables' names of each recording in a database.
std::vector<std::string> recordingsOf(const ForeignDatabase& database) {
    std::vector<std::string> suffixes;
    constexpr std::size_t kMostRecordings = 4096;
    for (const ForeignTable& table : database.tables()) {
        if (table.name.starts_with(kStringTable) && suffixes.size() < kMostRecordings)
            suffixes.push_back(table.name.substr(kStringTable.size()));
    }
    return suffixes;
}

Result<Recording> readRecording(ForeignDatabase& database, const std::string& suffix) {
    Recording recording;
    recording.suffix = suffix;
    LauncherVariables variables;
    RETURN_IF_ERROR(database.scanFacts(
        "rocpd_info_process" + suffix, "id, pid, environment", [&](const ForeignRow& row) {
            recording.processes[row.integer(0, 0)] = row.integer(1, 0);
            variables.takeJson(row.text(2));
        }));
    recording.launched = variables.rank();
    RETURN_IF_ERROR(database.scanFacts(
        "rocpd_info_thread" + suffix, "id, tid, name", [&](const ForeignRow& row) {
            recording.threads[row.integer(0, 0)] = row.integer(1, 0);
            if (!row.text(2).empty())
                recording.threadNames[row.integer(0, 0)] = row.text(2);
        }));
    RETURN_IF_ERROR(database.scanFacts("rocpd_info_node" + suffix, "hostname",
        [&](const ForeignRow& row) { recording.host = row.text(0); }));
    std::map<std::int64_t, std::int64_t> order; // GPUs by their place on the machine
    RETURN_IF_ERROR(database.scanFacts("rocpd_info_agent" + suffix,
        "id, type, absolute_index, product_name, name, type_index", [&](const ForeignRow& row) {
            const std::int64_t id = row.integer(0, 0);
            const std::string_view model = row.text(3).empty() ? row.text(4) : row.text(3);
            recording.agents[id].model = model;
            if (equalsIgnoringCase(row.text(1), "GPU"))
                order[row.integer(2, row.integer(5, id))] = id;
        }));
    for (const auto& [place, id] : order)
        recording.agents[id].device = recording.gpus++;
    return recording;
}

Result<std::vector<Recording>> readRecordings(ForeignDatabase& database) {
    std::vector<Recording> recordings;
    for (const std::string& suffix : recordingsOf(database)) {
        ASSIGN_OR_RETURN(auto recording, readRecording(database, suffix));
        recordings.push_back(std::move(recording));
    }
    return recordings;
}

std::vector<std::int64_t> processesOf(const std::vector<Recording>& recordings) {
    std::vector<std::int64_t> processes;
    for (const Recording& recording : recordings) {
        for (const auto& [number, process] : recording.processes)
            processes.push_back(process);
    }
    return processes;
}

// The message of a marker stands in the JSON of its event.
std::string messageOf(std::string_view extra) {
    const bool hasOne = extra.find("\"message\"") != std::string_view::npos;
    return hasOne ? jsonText(jsonMember(parsedJson(extra), "message")) : std::string();
}

// Reads the large tables of one recording.
class RecordingReader {
public:
    RecordingReader(ForeignDatabase& database, const Recording& recording, TraceImport& into)
        : m_database(database)
        , m_recording(recording)
        , m_into(into)
        , m_writer(into.writer())
        , m_strings(database, table(kStringTable), "id", "string")
        , m_events(database, table("rocpd_event"), "id",
              "stack_id, correlation_id, category_id, extdata")
        , m_symbols(database, table("rocpd_info_kernel_symbol"), "id",
              "display_name, kernel_name, arch_vgpr_count, group_segment_size") { }

    Status readCalls() {
        for (const auto& [number, name] : m_recording.threadNames) {
            const std::int64_t process
                = m_recording.processes.empty() ? 0 : m_recording.processes.begin()->second;
            m_writer.outputs().onHost(process).nameThread(
                std::to_string(process), std::to_string(m_recording.thread(number)), name);
        }
        return read("rocpd_region", "start, end, pid, tid, name_id, event_id",
            [&](const ForeignRow& row) { return call(row); });
    }

    Status readWork() {
        RETURN_IF_ERROR(read("rocpd_kernel_dispatch",
            "start, end, pid, agent_id, stream_id, queue_id, event_id, kernel_id, grid_size_x, "
            "grid_size_y, grid_size_z, workgroup_size_x, workgroup_size_y, workgroup_size_z, "
            "group_segment_size, region_name_id",
            [&](const ForeignRow& row) { return kernel(row); }));
        return read("rocpd_memory_copy",
            "start, end, pid, dst_agent_id, stream_id, src_agent_id, event_id, name_id, size",
            [&](const ForeignRow& row) { return copy(row); });
    }

private:
    [[nodiscard]] std::string table(std::string_view name) const {
        return std::string(name) + m_recording.suffix;
    }

    Status read(std::string_view name, std::string_view columns,
        const std::function<Status(const ForeignRow&)>& visit) {
        return m_into.scan(m_database, table(name), columns, visit);
    }

    std::string stringOf(std::optional<std::int64_t> id) {
        const auto row = id ? m_strings.find(*id) : std::nullopt;
        return row ? std::string(row->text(0)) : std::string("?");
    }

    struct Event {
        std::int64_t correlation = 0;
        std::optional<std::int64_t> category;
        std::string message;
    };
    Event eventOf(std::optional<std::int64_t> id, bool hasMessage) {
        const auto row = id ? m_events.find(*id) : std::nullopt;
        if (!row)
            return {};
        Event event;
        // The profiler's own number; the other one is the program's.
        event.correlation = row->integer(0, 0);
        if (event.correlation == 0)
            event.correlation = row->integer(1, 0);
        event.category = row->integer(2);
        if (hasMessage)
            event.message = messageOf(row->text(3));
        return event;
    }

    SpanKind kindOf(std::optional<std::int64_t> category) {
        if (!category)
            return SpanKind::Runtime;
        const auto known = m_kinds.find(*category);
        if (known != m_kinds.end())
            return known->second;
        const SpanKind kind = callKindOf(stringOf(category));
        m_kinds.emplace(*category, kind);
        return kind;
    }

    Status call(const ForeignRow& row) {
        const auto range = m_writer.rangeOf(row.integer(0), row.integer(1));
        if (!range)
            return {};
        const Event event = eventOf(row.integer(5), true);
        ProfiledCall call;
        call.process = m_recording.process(row.integer(2, 0));
        call.thread = m_recording.thread(row.integer(3, 0));
        call.range = *range;
        call.correlation = event.correlation;
        call.kind = kindOf(event.category);
        const std::string name = call.kind == SpanKind::Annotation && !event.message.empty()
            ? event.message
            : stringOf(row.integer(4));
        call.name = name;
        return m_writer.call(call);
    }

    const RocpdAgent* agentOf(std::optional<std::int64_t> id) const {
        const auto found = id ? m_recording.agents.find(*id) : m_recording.agents.end();
        return found == m_recording.agents.end() ? nullptr : &found->second;
    }

    Status kernel(const ForeignRow& row) {
        const auto range = m_writer.rangeOf(row.integer(0), row.integer(1));
        if (!range)
            return {};
        ProfiledWork work;
        work.process = m_recording.process(row.integer(2, 0));
        const RocpdAgent* agent = agentOf(row.integer(3));
        work.device = agent == nullptr ? 0 : std::max(agent->device, 0);
        const std::string stream = std::to_string(row.integer(4, row.integer(5, 0)));
        work.stream = stream;
        work.range = *range;
        work.correlation = eventOf(row.integer(6), false).correlation;
        KernelShape shape;
        for (std::size_t i = 0; i < 3; ++i) {
            shape.grid[i] = row.integer(8 + static_cast<int>(i), 0);
            shape.workgroup[i] = row.integer(11 + static_cast<int>(i), 0);
        }
        shape.localMemory = row.integer(14);
        std::string name = "?";
        if (const auto symbol = m_symbols.find(row.integer(7, -1))) {
            name = symbol->text(0).empty() ? symbol->text(1) : symbol->text(0);
            shape.registers = symbol->integer(2);
        }
        work.name = name;
        rocprof::describe(shape, m_into.detail());
        return m_writer.work(work, m_into.detail());
    }

    Status copy(const ForeignRow& row) {
        const auto range = m_writer.rangeOf(row.integer(0), row.integer(1));
        if (!range)
            return {};
        const std::string name = copyName(stringOf(row.integer(7)));
        const RocpdAgent* agent = agentOf(row.integer(name.ends_with("DtoH") ? 5 : 3));
        ProfiledWork work;
        work.process = m_recording.process(row.integer(2, 0));
        work.device = agent == nullptr ? 0 : std::max(agent->device, 0);
        const std::string stream = std::to_string(row.integer(4, 0));
        work.stream = stream;
        work.range = *range;
        work.correlation = eventOf(row.integer(6), false).correlation;
        work.name = name;
        work.kind = SpanKind::Copy;
        if (const auto bytes = row.integer(8))
            m_into.detail().add("bytes", *bytes);
        return m_writer.work(work, m_into.detail());
    }

    ForeignDatabase& m_database;
    const Recording& m_recording;
    TraceImport& m_into;
    ProfileWriter& m_writer;
    ForeignLookup m_strings;
    ForeignLookup m_events;
    ForeignLookup m_symbols;
    std::map<std::int64_t, SpanKind> m_kinds; // calls', by category
};

std::vector<std::string> modelsOf(const Recording& recording) {
    std::vector<std::string> models(static_cast<std::size_t>(std::max(0, recording.gpus)));
    for (const auto& [id, agent] : recording.agents) {
        if (agent.device >= 0 && static_cast<std::size_t>(agent.device) < models.size())
            models[static_cast<std::size_t>(agent.device)] = agent.model;
    }
    return models;
}

bool isRocpd(const ForeignDatabase& database) {
    const auto& tables = database.tables();
    const auto has = [&](std::string_view prefix) {
        return std::any_of(tables.begin(), tables.end(),
            [&](const ForeignTable& table) { return table.name.starts_with(prefix); });
    };
    return has(kStringTable) && has("rocpd_event")
        && (has("rocpd_kernel_dispatch") || has("rocpd_region"));
}

void tellRocpd(ForeignDatabase& database, TraceFacts& facts) {
    const auto recordings = readRecordings(database);
    if (!recordings.hasValue() || recordings.value().empty()) {
        facts.problem = recordings.hasValue() ? std::string("There is no recording in it.")
                                              : recordings.error().describe();
        return;
    }
    const Recording& first = recordings.value().front();
    facts.ranks = std::max(1, static_cast<int>(processesOf(recordings.value()).size()));
    const LaunchedRank launched = first.launched.ofProcesses(facts.ranks);
    facts.rank = launched.rank;
    facts.worldSize = launched.worldSize;
    facts.gpusPerNode = first.gpus > 1 ? first.gpus : 0;
    for (const auto& [id, agent] : first.agents) {
        if (agent.device == 0)
            facts.gpuModel = agent.model;
    }
    takeFirst(database, "rocpd_kernel_dispatch" + first.suffix, "start", facts);
}

Result<ImportReport> importRocpd(
    ForeignDatabase& database, const SourceTree& tree, const ImportUnit& unit, Sink& sink) {
    ASSIGN_OR_RETURN(const auto recordings, readRecordings(database));
    if (!isRocpd(database) || recordings.empty())
        return Error{ErrorCode::Unrecognised, "There are no tables of rocpd in this database.",
            tree.displayPath(unit.path)};
    TraceImport into(tree, unit, sink, processesOf(recordings));
    into.opened(database);
    RETURN_IF_ERROR(into.begin(unit.gpuModel));
    std::vector<RecordingReader> readers;
    for (const Recording& recording : recordings)
        readers.emplace_back(database, recording, into);
    for (RecordingReader& reader : readers)
        RETURN_IF_ERROR(reader.readCalls());
    into.writer().nest();
    for (RecordingReader& reader : readers)
        RETURN_IF_ERROR(reader.readWork());
    RETURN_IF_ERROR(into.finish({modelsOf(recordings.front()), recordings.front().launched.node}));
    ImportReport& report = into.report();
    if (!recordings.front().host.empty())
        report.facts["host"] = recordings.front().host;
    if (!unit.gpuModel.empty())
        report.facts["GPU"] = unit.gpuModel;
    return std::move(report);
}

} // namespace

const DatabaseForm kRocpd{"rocprof database", isRocpd, tellRocpd, importRocpd};

} // namespace trainscope::importers::rocprof
