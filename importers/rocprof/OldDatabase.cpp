#include "core/model/Try.h"
#include "importers/rocprof/Finish.h"
#include "importers/rocprof/OldRows.h"
#include "importers/rocprof/OldTrace.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::importers::rocprof {

namespace {

struct OldTableName {
    std::string_view name;
    OldTable table;
    std::string_view nameColumn;
    std::string_view deviceColumn;
};
constexpr std::array kOldTables{
    OldTableName{"HIP", OldTable::Calls, "Name", ""},
    OldTableName{"HSA", OldTable::Calls, "Name", ""},
    OldTableName{"rocTX", OldTable::Markers, "Name", ""},
    OldTableName{"OPS", OldTable::Kernels, "Name", "dev-id"},
    OldTableName{"KERN", OldTable::Kernels, "KernelName", "gpu-id"},
    OldTableName{"COPY", OldTable::Copies, "Name", "dev-id"},
};

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

Result<ForeignDatabase::ScanEnd> scanOld(ForeignDatabase& database, const OldTableName& table,
    const std::function<Status(const OldRow&)>& visit, std::int64_t limit = -1) {
    const std::array<std::string_view, 12> columns{"BeginNs", "EndNs", "pid", "tid",
        table.nameColumn, "Index", table.deviceColumn, "queue-id", "grd", "wgr", "arch_vgpr",
        "lds"};
    return database.scan(table.name, columns,
        [&](const ForeignRow& row) { return visit(rowFrom(row)); }, {.limit = limit});
}

} // namespace

bool isOldDatabase(const ForeignDatabase& database) {
    return std::any_of(kOldTables.begin(), kOldTables.end(),
        [&](const OldTableName& table) { return hasTimes(database, table); });
}

TraceFacts factsOfOldDatabase(const SourceTree& tree, const SourceFile& file) {
    TraceFacts facts;
    facts.kind = "database of rocprof";
    const Progress noProgress;
    auto database = ForeignDatabase::open(tree, file.path, noProgress);
    if (!database.hasValue()) {
        facts.problem = database.error().describe();
        return facts;
    }
    for (const OldTableName& table : kOldTables) {
        if (!isWork(table.table) || facts.firstNs || !hasTimes(database.value(), table))
            continue;
        const auto end = scanOld(
            database.value(), table,
            [&](const OldRow& row) {
                facts.firstNs = row.begin;
                return Status();
            },
            1);
        if (!end.hasValue())
            facts.problem = end.error().describe();
    }
    return facts;
}

Result<ImportReport> importOldDatabase(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    ASSIGN_OR_RETURN(auto database, ForeignDatabase::open(tree, unit.path, progress));
    ImportReport report;
    report.importer = "rocprof 1";
    ProfileWriter writer(sink, report, unit.path, unit.rank.value_or(0), {}, DurationNs{0});
    Run run;
    run.name = unit.runName;
    run.worldSize = unit.worldSize;
    RETURN_IF_ERROR(writer.begin(run));
    DetailText detail;
    bool isDamaged = database.isCutShort();
    for (const bool ofGpus : {false, true}) {
        for (const OldTableName& table : kOldTables) {
            if (isWork(table.table) != ofGpus || !hasTimes(database, table))
                continue;
            ASSIGN_OR_RETURN(const auto end, scanOld(database, table, [&](const OldRow& row) {
                return writeOldRow(table.table, row, writer, detail);
            }));
            report.rows += end.rows;
            report.counts["rows of " + std::string(table.name)] += end.rows;
            if (end.problem.empty())
                continue;
            isDamaged = true;
            report.lost(unit.path, 0,
                std::string(table.name) + " could be read up to row " + std::to_string(end.rows)
                    + ": " + end.problem);
        }
        if (!ofGpus)
            writer.nest();
    }
    RETURN_IF_ERROR(finishTrace(writer, report, unit, tree, {}, sink));
    report.bytes = database.bytesTotal();
    if (isDamaged) {
        run.status = RunStatus::Partial;
        RETURN_IF_ERROR(writer.begin(run));
    }
    return report;
}

} // namespace trainscope::importers::rocprof
