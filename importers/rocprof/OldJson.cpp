#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonMembers.h"
#include "importers/common/JsonText.h"
#include "importers/rocprof/Forms.h"
#include "importers/rocprof/OldRows.h"

#include <array>
#include <functional>
#include <map>
#include <optional>

namespace trainscope::importers::rocprof {

namespace {

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
