#include "core/model/Try.h"
#include "importers/rocprof/Forms.h"
#include "importers/rocprof/OldRows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainscope::importers::rocprof {

namespace {

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

} // namespace

const DatabaseForm kOldDatabase{
    "database of rocprof", isOldDatabase, tellOldDatabase, importOldDatabase};

} // namespace trainscope::importers::rocprof
