#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/JsonText.h"
#include "importers/common/NamedTable.h"
#include "importers/common/RunFolders.h"
#include "importers/rocprof/TraceImport.h"
#include "importers/trace/TraceName.h"

#include <fmt/format.h>

namespace trainscope::importers::rocprof {
namespace {

// A row of the first rocprof's tables, and what it becomes.

enum class OldTable { Calls, Markers, Copies, Kernels };

struct OldRow {
    std::optional<std::int64_t> begin; // ns
    std::optional<std::int64_t> end;
    std::int64_t process = 0;
    std::int64_t thread = 0;
    std::int64_t correlation = 0;
    std::int64_t device = 0;
    std::int64_t queue = 0;
    std::string name; // a kernel's in quotes, or with ".kd" behind
    std::int64_t grid = 0; // work items; of kernels that were listed one by one
    std::int64_t workgroup = 0;
    std::int64_t registers = 0;
    std::int64_t localMemory = 0; // B
};

// Imports a trace; `read` gives the rows of the host or those of the GPUs.
using OldVisit = std::function<Status(OldTable table, const OldRow& row)>;

constexpr std::int64_t kMostDevices = 1'000;

std::string_view plainName(std::string_view name) {
    while (name.starts_with('"'))
        name.remove_prefix(1);
    while (name.ends_with('"'))
        name.remove_suffix(1);
    if (name.ends_with(".kd"))
        name.remove_suffix(3);
    return name;
}

Status writeCall(OldTable table, const OldRow& row, TimeRange range, ProfileWriter& writer) {
    ProfiledCall call;
    call.process = row.process;
    call.thread = row.thread;
    call.range = range;
    call.correlation = row.correlation;
    call.name = plainName(row.name);
    call.kind = table == OldTable::Markers ? SpanKind::Annotation : SpanKind::Runtime;
    return writer.call(call);
}

struct OldTableName {
    std::string_view name;
    OldTable table;
    std::string_view nameColumn;
    std::string_view deviceColumn;
};
constexpr auto kOldTables = std::to_array<OldTableName>({
    {"HIP", OldTable::Calls, "Name", "none"},
    {"HSA", OldTable::Calls, "Name", "none"},
    {"rocTX", OldTable::Markers, "Name", "none"},
    {"OPS", OldTable::Kernels, "Name", "dev-id"},
    {"KERN", OldTable::Kernels, "KernelName", "gpu-id"},
    {"COPY", OldTable::Copies, "Name", "dev-id"},
});

bool hasTimes(const ForeignDatabase& database, const OldTableName& table) {
    return database.hasColumn(table.name, "BeginNs") && database.hasColumn(table.name, "EndNs")
        && database.hasColumn(table.name, table.nameColumn);
}

OldRow rowFrom(const ForeignRow& row) {
    OldRow one;
    one.begin = row.integer(0);
    one.end = row.integer(1);
    one.process = row.integer(2, 0);
    one.thread = row.integer(3, 0);
    one.name = row.text(4);
    one.correlation = row.integer(5, 0);
    one.device = row.integer(6, 0);
    one.queue = row.integer(7, 0);
    one.grid = row.integer(8, 0);
    one.workgroup = row.integer(9, 0);
    one.registers = row.integer(10, 0);
    one.localMemory = row.integer(11, 0);
    return one;
}

std::string columnsOf(const OldTableName& table) {
    return fmt::format(
        "BeginNs, EndNs, pid, tid, {}, Index, {}, queue-id, grd, wgr, arch_vgpr, lds",
        table.nameColumn, table.deviceColumn);
}

bool isOldDatabase(const ForeignDatabase& database) {
    return std::any_of(kOldTables.begin(), kOldTables.end(),
        [&](const OldTableName& table) { return hasTimes(database, table); });
}

void tellOldDatabase(ForeignDatabase& database, TraceFacts& facts) {
    for (const OldTableName& table : kOldTables) {
        if (isWork(table.table) && hasTimes(database, table))
            takeFirst(database, table.name, "BeginNs", facts);
    }
}

Result<ImportReport> importOldDatabase(
    ForeignDatabase& database, const SourceTree& tree, const ImportUnit& unit, Sink& sink) {
    TraceImport into(tree, unit, sink);
    into.opened(database);
    return importOld(into, [&](bool ofGpus, const OldVisit& visit) -> Status {
        for (const OldTableName& table : kOldTables) {
            if (isWork(table.table) == ofGpus && hasTimes(database, table))
                RETURN_IF_ERROR(into.scan(database, table.name, columnsOf(table),
                    [&](const ForeignRow& row) { return visit(table.table, rowFrom(row)); }));
        }
        return {};
    });
}

// Content of its lanes, by their number ("pid" in the text).
struct OldLane {
    std::optional<OldTable> table; // absent: nothing that is read
    std::int64_t device = 0;
};

OldLane laneNamed(std::string_view name) {
    if (name == "CPU HIP API" || name == "CPU HSA API")
        return {OldTable::Calls, 0};
    if (name == "Markers and Ranges")
        return {OldTable::Markers, 0};
    if (name == "COPY")
        return {OldTable::Copies, 0};
    constexpr std::string_view kGpu = "GPU";
    const auto device = name.starts_with(kGpu) ? wholeNumber<std::int64_t>(name.substr(kGpu.size()))
                                               : std::nullopt;
    return device ? OldLane{OldTable::Kernels, *device} : OldLane{};
}

struct OldEvent {
    std::string phase;
    std::int64_t lane = -1;
    std::string laneName; // if the event names a lane
    OldRow row;
};

struct ArgumentPlace {
    std::string_view name;
    std::int64_t OldRow::*member;
};
constexpr std::array<ArgumentPlace, 7> kArguments{ArgumentPlace{"pid", &OldRow::process},
    {"tid", &OldRow::thread}, {"queue-id", &OldRow::queue}, {"grd", &OldRow::grid},
    {"wgr", &OldRow::workgroup}, {"arch_vgpr", &OldRow::registers}, {"lds", &OldRow::localMemory}};

void takeArgument(std::string_view key, const JsonToken& value, OldEvent& event) {
    const auto number = integerOf(value);
    if (key == "name" && value.kind == TokenKind::String)
        event.laneName = value.text;
    else if (key == "BeginNs")
        event.row.begin = number;
    else if (key == "EndNs")
        event.row.end = number;
    for (const ArgumentPlace& place : kArguments) {
        if (key == place.name)
            event.row.*place.member = number.value_or(0);
    }
}

OldEvent eventFrom(std::string_view object) {
    OldEvent event;
    forEachMember(object, [&](std::string_view key, const JsonToken& value) {
        std::string storage;
        if (key == "ph")
            event.phase = value.text;
        else if (key == "pid")
            event.lane = integerOf(value).value_or(-1);
        else if (key == "name" && value.kind == TokenKind::String)
            event.row.name = plainText(value, storage);
        else if (key == "args")
            forEachMember(value.text, [&](std::string_view name, const JsonToken& argument) {
                takeArgument(name, argument, event);
            });
    });
    return event;
}

// The visitor's `false` ends it.
Result<ObjectsRead> readOldJson(const SourceTree& tree, const std::string& path,
    const Progress& progress, const std::function<Result<bool>(OldTable, const OldRow&)>& visit) {
    std::map<std::int64_t, OldLane> lanes;
    return readObjects(tree, path, {"traceEvents"}, "Reading the trace", progress,
        [&](const JsonPaths::Found& found) -> Result<bool> {
            OldEvent event = eventFrom(found.text);
            if (event.phase == "M")
                lanes[event.lane] = laneNamed(event.laneName);
            const auto lane = lanes.find(event.lane);
            if (event.phase != "X" || lane == lanes.end() || !lane->second.table)
                return true;
            event.row.device = lane->second.device;
            return visit(*lane->second.table, event.row);
        });
}

bool isWork(OldTable table) {
    return table == OldTable::Copies || table == OldTable::Kernels;
}

Status writeOld(OldTable table, const OldRow& row, TraceImport& into) {
    ProfileWriter& writer = into.writer();
    const auto range = writer.rangeOf(row.begin, row.end);
    if (!range)
        return {};
    if (!isWork(table))
        return writeCall(table, row, *range, writer);
    ProfiledWork work;
    work.process = row.process;
    work.device = static_cast<int>(std::clamp<std::int64_t>(row.device, 0, kMostDevices));
    const std::string stream
        = table == OldTable::Copies ? std::string("copies") : std::to_string(row.queue);
    work.stream = stream;
    work.range = *range;
    work.correlation = row.correlation;
    work.name = plainName(row.name);
    // Packets that only order others.
    if (work.name.starts_with("<barrier"))
        return {};
    if (table == OldTable::Copies) {
        work.kind = SpanKind::Copy;
    } else if (row.grid > 0) {
        KernelShape shape;
        shape.grid = {row.grid, 1, 1};
        shape.workgroup = {row.workgroup, 1, 1};
        shape.registers = row.registers;
        shape.localMemory = row.localMemory;
        rocprof::describe(shape, into.detail());
    }
    return writer.work(work, into.detail());
}

Result<ImportReport> importOld(
    TraceImport& into, const std::function<Status(bool ofGpus, const OldVisit& visit)>& read) {
    const OldVisit visit
        = [&into](OldTable table, const OldRow& row) { return writeOld(table, row, into); };
    RETURN_IF_ERROR(into.begin());
    RETURN_IF_ERROR(read(false, visit));
    into.writer().nest();
    RETURN_IF_ERROR(read(true, visit));
    RETURN_IF_ERROR(into.finish({}));
    return std::move(into.report());
}

const DatabaseForm kOldDatabase{
    "database of rocprof", isOldDatabase, tellOldDatabase, importOldDatabase};

bool isOldJson(std::string_view head) {
    const auto has
        = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    constexpr std::size_t kBegin = 64;
    return head.find("\"traceEvents\"") < kBegin && has("\"sort_index\"")
        && (has("\"CPU HIP API\"") || has("\"CPU HSA API\"") || has("\"name\":\"COPY\""))
        && !has("\"schemaVersion\"");
}

TraceFacts factsOfOldJson(const SourceTree& tree, const SourceFile& file) {
    TraceFacts facts;
    facts.kind = "JSON of rocprof";
    const Progress noProgress;
    const auto read = readOldJson(tree, file.path, noProgress, [&](OldTable, const OldRow& row) {
        facts.firstNs = row.begin;
        return Result<bool>(!row.begin);
    });
    if (!read.hasValue())
        facts.problem = read.error().describe();
    return facts;
}

Result<ImportReport> importOldJson(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    TraceImport into(tree, unit, sink);
    ObjectsRead reading;
    const auto read = [&](bool ofGpus, const OldVisit& visit) -> Status {
        ASSIGN_OR_RETURN(reading,
            readOldJson(
                tree, unit.path, progress, [&](OldTable table, const OldRow& row) -> Result<bool> {
                    if (isWork(table) != ofGpus)
                        return true;
                    ++into.report().rows;
                    RETURN_IF_ERROR(visit(table, row));
                    return true;
                }));
        if (ofGpus && !reading.problem.empty())
            into.lose(reading.problem);
        return {};
    };
    ASSIGN_OR_RETURN(auto report, importOld(into, read));
    report.bytes = reading.bytes;
    report.skipped += reading.leftOut;
    return report;
}

constexpr std::size_t kHead = std::size_t{64} << 10;

// A GPU among the agents of a machine.
struct Agent {
    std::int64_t node = -1;
    std::int64_t logical = -1;
    std::string model;
};

class TablesImport {
public:
    TablesImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_import(tree, unit, sink)
        , m_writer(m_import.writer())
        , m_report(m_import.report())
        , m_detail(m_import.detail()) { }

    Result<ImportReport> run(const Progress& progress) {
        ASSIGN_OR_RETURN(const auto tables, tablesByKind());
        RETURN_IF_ERROR(each(tables, CsvTable::Agents, {"agent_type", "node_id"}, progress,
            [&](const NamedRow& row) { return agent(row); }));
        std::ranges::stable_sort(m_gpus, {}, &Agent::node);
        TracedMachine machine;
        for (const Agent& gpu : m_gpus)
            machine.models.push_back(gpu.model);
        RETURN_IF_ERROR(m_import.begin(m_gpus.empty() ? std::string() : m_gpus.front().model));
        RETURN_IF_ERROR(each(tables, CsvTable::Calls, {"function", "start_timestamp"}, progress,
            [&](const NamedRow& row) { return call(row); }));
        m_writer.nest();
        RETURN_IF_ERROR(each(tables, CsvTable::Kernels, {"kernel_name", "start_timestamp"},
            progress, [&](const NamedRow& row) { return kernel(row); }));
        RETURN_IF_ERROR(each(tables, CsvTable::OldKernels, {"kernelname", "beginns"}, progress,
            [&](const NamedRow& row) { return oldKernel(row); }));
        RETURN_IF_ERROR(each(tables, CsvTable::Copies, {"direction", "start_timestamp"}, progress,
            [&](const NamedRow& row) { return copy(row); }));
        if (const auto counters = tables.count(CsvTable::Counters); counters > 0)
            m_report.lost(m_unit.path, 0, "tables of performance counters are not read");
        RETURN_IF_ERROR(m_import.finish(machine));
        return std::move(m_report);
    }

private:
    using Tables = std::multimap<CsvTable, std::string>;

    // Without those that lie there a second time, packed.
    Result<Tables> tablesByKind() {
        Tables tables;
        std::map<std::string_view, std::string_view> read; // by stem
        for (const std::string& path : m_unit.files) {
            const auto [first, isNew] = read.emplace(traceStem(path), path);
            if (!isNew) {
                m_report.remark(path, 0,
                    "not read: " + std::string(namePart(first->second)) + " holds the same table");
                continue;
            }
            ASSIGN_OR_RETURN(const auto head, readHead(m_tree, path, kHead));
            tables.emplace(csvTableOf(head), path);
        }
        return tables;
    }

    template <typename Visit>
    Status each(const Tables& tables, CsvTable kind,
        std::initializer_list<std::string_view> required, const Progress& progress,
        const Visit& visit) {
        const auto [begin, end] = tables.equal_range(kind);
        for (auto table = begin; table != end; ++table) {
            RETURN_IF_ERROR(readTable(m_tree, table->second, required, visit, progress, m_report));
        }
        return {};
    }

    Status agent(const NamedRow& row) {
        if (!equalsIgnoringCase(row.text("agent_type"), "GPU"))
            return {};
        std::string_view model = row.text("product_name");
        if (model.empty())
            model = row.text("name");
        m_gpus.push_back({row.integer("node_id").value_or(-1),
            row.integer("logical_node_id").value_or(-1), std::string(model)});
        return {};
    }

    // The GPUs of the machine in their order; without the table of agents as they are numbered.
    int deviceOf(std::string_view agent) {
        const bool isTypeRelative = agent.starts_with("GPU ");
        const std::int64_t number = agentNumber(isTypeRelative ? agent.substr(4) : agent);
        const bool isLogical = agent.starts_with("Agent");
        for (std::size_t i = 0; i < m_gpus.size() && !isTypeRelative; ++i) {
            if ((isLogical ? m_gpus[i].logical : m_gpus[i].node) == number)
                return static_cast<int>(i);
        }
        constexpr std::int64_t kMost = 1'000;
        if (number >= 0 && number < kMost)
            return static_cast<int>(number);
        // Old versions write handles.
        const auto next = static_cast<int>(m_handles.size());
        return m_handles.size() < kMost ? m_handles.try_emplace(number, next).first->second : 0;
    }

    Status call(const NamedRow& row) {
        const auto range
            = m_writer.rangeOf(row.integer("start_timestamp"), row.integer("end_timestamp"));
        if (!range)
            return {};
        ProfiledCall call;
        call.process = row.integer("process_id").value_or(0);
        call.thread = row.integer("thread_id").value_or(0);
        call.range = *range;
        call.correlation = row.integer("correlation_id").value_or(0);
        call.name = row.text("function");
        call.kind = callKindOf(row.text("domain"));
        m_process = call.process;
        return m_writer.call(call);
    }

    static KernelShape shapeOf(const NamedRow& row) {
        const auto number = [&](std::string_view name) { return row.integer(name).value_or(0); };
        KernelShape shape;
        shape.grid = {number("grid_size_x"), number("grid_size_y"), number("grid_size_z")};
        shape.workgroup
            = {number("workgroup_size_x"), number("workgroup_size_y"), number("workgroup_size_z")};
        shape.registers = row.integer("vgpr_count");
        shape.localMemory = row.integer("lds_block_size");
        if (!shape.localMemory)
            shape.localMemory = row.integer("group_segment_size");
        return shape;
    }

    // Fields that kernels and copies have. Absent: the row has no times.
    std::optional<ProfiledWork> workOf(const NamedRow& row) {
        const auto range
            = m_writer.rangeOf(row.integer("start_timestamp"), row.integer("end_timestamp"));
        if (!range)
            return std::nullopt;
        ProfiledWork work;
        work.process = row.integer("process_id").value_or(m_process);
        work.stream = row.text("stream_id");
        work.range = *range;
        work.correlation = row.integer("correlation_id").value_or(0);
        return work;
    }

    Status kernel(const NamedRow& row) {
        auto work = workOf(row);
        if (!work)
            return {};
        work->device = deviceOf(row.text("agent_id"));
        if (work->stream.empty())
            work->stream = row.text("queue_id");
        work->name = row.text("kernel_name");
        rocprof::describe(shapeOf(row), m_detail);
        return m_writer.work(*work, m_detail);
    }

    Status oldKernel(const NamedRow& row) {
        OldRow old;
        old.begin = row.integer("beginns");
        old.end = row.integer("endns");
        old.process = row.integer("pid").value_or(0);
        old.device = deviceOf(row.text("gpu-id"));
        old.queue = row.integer("queue-id").value_or(0);
        old.name = row.text("kernelname");
        old.grid = row.integer("grd").value_or(0);
        old.workgroup = row.integer("wgr").value_or(0);
        old.registers = row.integer("arch_vgpr").value_or(0);
        old.localMemory = row.integer("lds").value_or(0);
        return writeOld(OldTable::Kernels, old, m_import);
    }

    Status copy(const NamedRow& row) {
        auto work = workOf(row);
        if (!work)
            return {};
        const std::string name = copyName(row.text("direction"));
        const bool isToHost = name.ends_with("DtoH");
        work->device = deviceOf(row.text(isToHost ? "source_agent_id" : "destination_agent_id"));
        if (work->stream.empty())
            work->stream = "copies";
        work->name = name;
        work->kind = SpanKind::Copy;
        return m_writer.work(*work, m_detail);
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    TraceImport m_import;
    ProfileWriter& m_writer;
    ImportReport& m_report;
    DetailText& m_detail;
    std::vector<Agent> m_gpus;
    std::map<std::int64_t, int> m_handles;
    std::int64_t m_process = 0;
};

} // namespace

CsvTable csvTableOf(std::string_view head) {
    if (headerIn(head, {"counter_name", "counter_value", "kernel_name"}))
        return CsvTable::Counters;
    if (headerIn(head, {"kernel_name", "start_timestamp", "end_timestamp", "agent_id"}))
        return CsvTable::Kernels;
    if (headerIn(head, {"kernelname", "beginns", "endns"}))
        return CsvTable::OldKernels;
    if (headerIn(head, {"direction", "start_timestamp", "end_timestamp"}))
        return CsvTable::Copies;
    if (headerIn(head, {"function", "start_timestamp", "end_timestamp", "thread_id"}))
        return CsvTable::Calls;
    if (headerIn(head, {"agent_type", "node_id", "logical_node_id"}))
        return CsvTable::Agents;
    return CsvTable::None;
}

std::string_view csvPrefix(std::string_view path) {
    static constexpr std::array<std::string_view, 12> kTables{"kernel_trace", "hip_api_trace",
        "hip_trace", "hsa_api_trace", "memory_copy_trace", "marker_api_trace", "marker_trace",
        "rccl_api_trace", "agent_info", "counter_collection", "memory_allocation_trace",
        "scratch_memory_trace"};
    std::string_view stem = path.substr(path.rfind('/') + 1);
    stem = stem.substr(0, stem.find(".csv"));
    for (const std::string_view table : kTables) {
        if (stem.ends_with(table))
            return stem.substr(0, stem.size() - table.size());
    }
    return stem;
}

Result<ImportReport> importTables(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return TablesImport(tree, unit, sink).run(progress);
}

} // namespace trainscope::importers::rocprof
