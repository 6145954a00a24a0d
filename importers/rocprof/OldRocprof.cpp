#include "importers/rocprof/OldRocprof.h"
#include "core/model/WholeNumber.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonCursor.h"
#include "importers/rocprof/TraceImport.h"

#include <fmt/format.h>

namespace trainscope::importers::rocprof {

namespace {

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

} // namespace

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

} // namespace trainscope::importers::rocprof
